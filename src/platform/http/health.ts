import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Readiness } from "../ports/Readiness.ts"

const noStore = { "cache-control": "no-store" }

/** Answers that the process runs. A supervisor restarts a process that does not answer. */
const live = HttpServerResponse.jsonUnsafe({ status: "live" }, { headers: noStore })

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
      HttpRouter.add("GET", "/health/live", live),
      HttpRouter.add("GET", "/health/ready", readyAnswer(readiness))
    )
  )
)
