import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Readiness } from "../ports/Readiness.ts"
import { queryOf } from "./pageForms.ts"
import { type Representation, responseOf } from "./representation.ts"
import { addRoute } from "./ServicePaths.ts"

const noStore = { "cache-control": "no-store" }

const liveBody = new TextEncoder().encode(JSON.stringify({ status: "live" }))

/**
 * Answers that the process runs. A supervisor restarts a process that does not answer. The answer is a constant, which
 * the server sends before it routes the request.
 */
export const live = {
  route: "/health/live",
  representation: {
    status: 200,
    headers: {
      ...noStore,
      "content-type": "application/json",
      "content-length": String(liveBody.byteLength)
    },
    body: liveBody
  }
} as const satisfies { readonly route: string; readonly representation: Representation }

/** Asks whether the process is ready for reads or for writes. */
const FACE = "for"

const unknownFace = HttpServerResponse.jsonUnsafe(
  { status: "unknown", detail: "`for` is `reads` or `writes`: send one of them once, or leave `for` out" },
  { status: 400, headers: noStore }
)

/**
 * Answers that the process can do its work. A load balancer sends requests only to ready processes. Some of them ask
 * from public addresses, as monitors do, so everyone gets an answer, and no limit counts it. It says nothing that a
 * failed request would not.
 */
const readyAnswer = Effect.fnUntraced(function* (check: Readiness["Service"]["check"]) {
  const failing = yield* check
  return failing.length === 0
    ? HttpServerResponse.jsonUnsafe({ status: "ready" }, { headers: noStore })
    : HttpServerResponse.jsonUnsafe({ status: "unavailable", failing }, { status: 503, headers: noStore })
})

export const HealthRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { check, checkReads } = yield* Readiness
    // Requests that come while the database is being asked share the answer.
    const forWrites = readyAnswer(yield* Effect.cachedWithTTL(check, 0))
    const forReads = readyAnswer(yield* Effect.cachedWithTTL(checkReads, 0))
    const ready = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
      const [face = "writes", ...others] = queryOf(url).getAll(FACE)
      if (others.length > 0) return Effect.succeed(unknownFace)
      if (face === "reads") return forReads
      return face === "writes" ? forWrites : Effect.succeed(unknownFace)
    })
    return Layer.mergeAll(
      addRoute("GET", live.route, responseOf(live.representation)),
      addRoute("GET", "/health/ready", ready)
    )
  })
)
