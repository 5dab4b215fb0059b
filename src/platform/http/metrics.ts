import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"

/**
 * The metrics in Prometheus' format: those of this process, unless a program provides the metrics of several processes.
 */
export const MetricsText = Context.Reference<Effect.Effect<string>>("pennypress/platform/http/MetricsText", {
  defaultValue: () => PrometheusMetrics.format()
})

/** Serves the metrics. */
export const MetricsRoutes = Layer.unwrap(
  Effect.map(MetricsText, (text) =>
    HttpRouter.add(
      "GET",
      "/metrics",
      Effect.map(text, (body) =>
        HttpServerResponse.text(body, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
      )
    )
  )
)
