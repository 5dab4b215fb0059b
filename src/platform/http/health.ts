import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Readiness } from "../ports/Readiness.ts"

const noStore = { "cache-control": "no-store" }

/** The process runs and can answer: a supervisor restarts one that does not. */
const live = HttpServerResponse.jsonUnsafe({ status: "live" }, { headers: noStore })

/** The process can do its work: a balancer sends requests to no other. */
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
