import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Readiness } from "../ports/Readiness.ts"
import { type Representation, responseOf } from "./representation.ts"

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

/** Answers that the process can do its work. A load balancer sends requests only to ready processes. */
const readyAnswer = Effect.fnUntraced(function* (readiness: Readiness["Service"]) {
  const failing = yield* readiness.check
  return failing.length === 0
    ? HttpServerResponse.jsonUnsafe({ status: "ready" }, { headers: noStore })
    : HttpServerResponse.jsonUnsafe({ status: "unavailable", failing }, { status: 503, headers: noStore })
})

export const HealthRoutes = Layer.unwrap(
  Effect.map(Readiness, (readiness) =>
    Layer.mergeAll(
      HttpRouter.add("GET", live.route, responseOf(live.representation)),
      HttpRouter.add("GET", "/health/ready", readyAnswer(readiness))
    )
  )
)
