import { gzipSync } from "node:zlib"
import { Array as Arr, Effect, Option, type Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { addressOf, PATIENCE } from "../collector.ts"
import type { Environment } from "../config/environment.ts"
import { about, within } from "./Finding.ts"

const { fault, ok, warning } = about("collector")

const START =
  "Start the collector, and check the host and port in OTEL_EXPORTER_OTLP_ENDPOINT. Most collectors take OTLP over HTTP on port 4318; 4317 is gRPC."

/** Members of an export without content. */
const EMPTY = { logs: "resourceLogs", metrics: "resourceMetrics", traces: "resourceSpans" }

const SIGNALS = ["logs", "metrics", "traces"] as const
type Signal = (typeof SIGNALS)[number]

/** Says why an answer is not that of a collector that took an export; undefined if it is. */
const problemOf = (status: number, text: string) => {
  if (status === 401 || status === 403)
    return {
      what: `refuses the login (${status})`,
      advice: "Check the user and password in OTEL_EXPORTER_OTLP_ENDPOINT."
    }
  if (status === 404 || status === 405)
    return {
      what: `has no receiver for them (${status})`,
      advice:
        "Give the collector an OTLP receiver and a pipeline for each of them, and check the path of OTEL_EXPORTER_OTLP_ENDPOINT: the service adds /v1/logs, /v1/metrics and /v1/traces."
    }
  if (status === 429 || status >= 500)
    return { what: `fails (${status})`, advice: "Check the collector's log and its memory." }
  if (status >= 300)
    return {
      what: `refuses their format (${status})`,
      advice: "Configure the collector to accept OTLP over HTTP as JSON, compressed with gzip."
    }
  if (text !== "" && !text.trimStart().startsWith("{"))
    return {
      what: "does not answer like a collector",
      advice: "Check the host, port and path in OTEL_EXPORTER_OTLP_ENDPOINT: another program answers there."
    }
  return undefined
}

/** Sends an export without content, in the form in which the service exports. */
const exported = (endpoint: Redacted.Redacted, signal: Signal) => {
  const { baseUrl, headers } = addressOf(endpoint)
  const body = gzipSync(JSON.stringify({ [EMPTY[signal]]: [] }))
  return HttpClientRequest.post(`${baseUrl}/v1/${signal}`, { headers }).pipe(
    HttpClientRequest.bodyUint8Array(body, "application/json"),
    HttpClientRequest.setHeader("content-encoding", "gzip"),
    HttpClient.execute,
    Effect.flatMap((response) =>
      Effect.map(response.text, (text) => ({ signal, problem: problemOf(response.status, text) }))
    ),
    Effect.timeout(PATIENCE),
    Effect.orElseSucceed(() => ({ signal, problem: { what: "does not answer", advice: START } }))
  )
}

const listed = new Intl.ListFormat("en-GB")

const asked = Effect.fnUntraced(function* (endpoint: Redacted.Redacted) {
  const answers = yield* Effect.forEach(SIGNALS, (signal) => exported(endpoint, signal), {
    concurrency: "unbounded"
  })
  const taken = answers.filter(({ problem }) => problem === undefined).map(({ signal }) => signal)
  // Some collectors are for traces alone, or for metrics.
  const lost = taken.length > 0 ? warning : fault
  const problems = answers.flatMap(({ problem, signal }) =>
    problem === undefined ? [] : [{ ...problem, signal }]
  )
  return [
    ...(taken.length > 0 ? [ok(`The OpenTelemetry collector accepts ${listed.format(taken)}.`)] : []),
    ...Object.values(Arr.groupBy(problems, ({ what }) => what)).map(([first, ...others]) =>
      lost(
        `The OpenTelemetry collector ${first.what}, so ${listed.format([first, ...others].map(({ signal }) => signal))} do not reach it.`,
        first.advice
      )
    )
  ]
})

/** Checks that the collector takes logs, metrics and traces. */
export const collectorCheck = ({ OTEL_EXPORTER_OTLP_ENDPOINT }: Environment) =>
  Option.match(OTEL_EXPORTER_OTLP_ENDPOINT, {
    onNone: () =>
      Effect.succeed([
        ok("No OpenTelemetry collector is set: logs go to standard error, and metrics are at /metrics.")
      ]),
    onSome: (endpoint) => within("collector", Effect.provide(asked(endpoint), FetchHttpClient.layer), START)
  })
