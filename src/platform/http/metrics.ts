import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Settings } from "../ports/Settings.ts"
import { makeTokenCheck } from "../secrets/tokenCheck.ts"
import { bearerOf } from "./bearer.ts"
import { problemAnswer } from "./errorAnswer.ts"
import { isPrivateCaller, makeLocalCheck } from "./localCallers.ts"
import { addRoute } from "./ServicePaths.ts"
import { unknownPath } from "./unmatched.ts"

/**
 * Serves the metrics of this process in Prometheus' format, to bearers of the `METRICS_TOKEN` or the local token, and to
 * callers of private addresses if no proxy can forward requests. For any other caller the path does not exist: the numbers tell, for example, how many of the
 * mailboxes that were tried have an owner.
 */
export const MetricsRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { metricsToken } = yield* Settings
    const isToken = makeTokenCheck(metricsToken)
    const isLocal = yield* makeLocalCheck(isPrivateCaller)
    // Making a text takes a millisecond or more. Requests that arrive in one turn of the event loop share it.
    const text = yield* Effect.cachedWithTTL(Effect.andThen(Effect.yieldNow, PrometheusMetrics.format()), 0)

    return addRoute(
      "GET",
      "/metrics",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!isLocal(request) && !isToken(bearerOf(request.headers["authorization"])))
          return yield* problemAnswer(unknownPath())
        return HttpServerResponse.text(yield* text, {
          contentType: "text/plain; version=0.0.4; charset=utf-8"
        })
      })
    )
  })
)
