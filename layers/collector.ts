import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Effect, Metric, Redacted, Semaphore } from "effect"
import { HttpClient, type HttpClientError, type HttpClientRequest } from "effect/http"

/** The most batches in memory. Each has at most 1,000 lines or spans, or one look at all metrics. */
const EXPORTS_MAX = 8

/** Time within which the collector takes a batch. */
export const PATIENCE = "5 seconds"

/** Attempts after the first one. A collector that restarts loses nothing. */
const RETRY = { times: 3, delay: "1 second" } as const

/** Time that a stop gives to the last batch of each of the three signals. */
const STOPPING = "1 second"

const exports = Metric.counter("otlp_exports_total", {
  description: "Batches for the OpenTelemetry collector, by signal and outcome (sent or lost)",
  incremental: true
})

const nameOf = ({ url }: HttpClientRequest.HttpClientRequest) => url.slice(url.lastIndexOf("/") + 1)

/** Says why a batch was lost. The message of the error may repeat the URL, which may have a password. */
const reasonOf = (error: HttpClientError.HttpClientError) =>
  error.reason._tag === "StatusCodeError" ? `status ${error.reason.response.status}` : "no answer"

/**
 * A client that bounds what waits for the collector. It tries again by itself, and a batch that finds no place is lost at
 * once. The exporter gets each failure as a defect: it would otherwise keep the batch and try again. After a failure it
 * drops what comes for a minute.
 */
export const boundedClient = Effect.gen(function* () {
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  const places = yield* Semaphore.make(EXPORTS_MAX)
  const isLost = new Set<string>()

  const told = Effect.fnUntraced(function* (signal: string, reason: string | undefined) {
    const outcome = reason === undefined ? "sent" : "lost"
    yield* Metric.update(Metric.withAttributes(exports, { signal, outcome }), 1)
    if (isLost.has(signal) === (reason !== undefined)) return
    if (reason === undefined) {
      isLost.delete(signal)
      yield* Effect.logInfo("The OpenTelemetry collector accepts this signal again", { signal })
    } else {
      isLost.add(signal)
      yield* Effect.logWarning(
        "The OpenTelemetry collector does not accept this signal: it is lost until the collector does",
        {
          signal,
          reason
        }
      )
    }
  })

  return HttpClient.transform(client, (send, request) => {
    const signal = nameOf(request)
    const lose = (reason: string) =>
      Effect.andThen(told(signal, reason), Effect.die(new Error("A batch for the collector was lost")))
    return send.pipe(
      // The answer is taken whole, so that a collector that does not end it keeps no place.
      Effect.tap((response) => response.arrayBuffer),
      Effect.timeout(PATIENCE),
      Effect.retry({ ...RETRY, while: HttpClient.isTransientError }),
      places.withPermitsIfAvailable(1),
      Effect.matchEffect({
        onFailure: (error) => lose(error._tag === "TimeoutError" ? "no answer" : reasonOf(error)),
        onSuccess: (sent) =>
          sent._tag === "None" ? lose("too much") : Effect.as(told(signal, undefined), sent.value)
      })
    )
  })
})

/** Reads the URL of a collector: its address, and what its user and password become. */
export const addressOf = (endpoint: Redacted.Redacted) => {
  const url = new URL(Redacted.value(endpoint))
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const headers = login === ":" ? {} : { authorization: `Basic ${Buffer.from(login).toString("base64")}` }
  url.username = ""
  url.password = ""
  return { baseUrl: url.href.replace(/\/$/, ""), headers }
}

/** Returns the settings of the exporters. A stop sends what is left, within three seconds. */
export const exportersTo = (endpoint: Redacted.Redacted, release: string) =>
  ({
    ...addressOf(endpoint),
    resource: {
      serviceName: "pennypress",
      serviceVersion: release,
      attributes: {
        "service.instance.id": randomUUID(),
        "host.name": hostname(),
        "process.pid": process.pid
      }
    },
    compression: "gzip",
    shutdownTimeout: STOPPING
  }) as const
