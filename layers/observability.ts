import { ConfigProvider, Effect, Latch, Layer, Logger, Option, type Redacted, References } from "effect"
import type { Environment } from "./config/environment.ts"

/** Loads the exporters only for a service that has a collector. */
const exporters = Effect.fnUntraced(function* (endpoint: Redacted.Redacted, release: string) {
  const [{ FetchHttpClient, HttpClient }, { Otlp }, { boundedClient, exportersTo }] = yield* Effect.promise(
    () => Promise.all([import("effect/http"), import("effect/observability"), import("./collector.ts")])
  )
  return Otlp.layerJson(exportersTo(endpoint, release)).pipe(
    Layer.provide(Layer.effect(HttpClient.HttpClient, boundedClient)),
    Layer.provide(FetchHttpClient.layer),
    // The service's own settings say everything.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
  )
})

const collector = (environment: Environment, release: string) =>
  Option.match(environment.OTEL_EXPORTER_OTLP_ENDPOINT, {
    // Spans without a collector would cost a fifth of a request.
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: (endpoint) => Layer.unwrap(exporters(endpoint, release))
  })

/** Largest write that stays whole among the writes of other processes to the same pipe, as POSIX guarantees it. */
const WHOLE_WRITE_BYTES = 4_096

/** Joins lines into texts that each stay whole, longer lines excepted. */
const wholeWrites = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let text = ""
  let bytes = 0
  for (const line of lines) {
    const lineBytes = Buffer.byteLength(line) + 1
    if (text !== "" && bytes + lineBytes > WHOLE_WRITE_BYTES) {
      texts.push(text)
      text = ""
      bytes = 0
    }
    text += `${line}\n`
    bytes += lineBytes
  }
  return text === "" ? texts : [...texts, text]
}

/**
 * Writes the lines of 20 ms in one write. A write for each line would cost a busy service more than the request that it
 * describes. `Logger.batched` would wake an idle process fifty times a second.
 */
const jsonLines = Effect.gen(function* () {
  let unsent: Array<string> = []
  const hasUnsent = Latch.makeUnsafe()
  const flush = Effect.sync(() => {
    hasUnsent.closeUnsafe()
    const lines = unsent
    unsent = []
    wholeWrites(lines).forEach((text) => process.stderr.write(text))
  })
  yield* Effect.addFinalizer(() => flush)
  yield* hasUnsent.await.pipe(
    Effect.andThen(Effect.sleep("20 millis")),
    Effect.andThen(flush),
    Effect.forever,
    Effect.forkScoped
  )
  return Logger.make((options) => {
    unsent.push(Logger.formatJson.log(options))
    hasUnsent.openUnsafe()
  })
})

/**
 * Logs on standard error, so that standard output only says where the service listens. Logs, metrics and traces also go to
 * the collector when one is set.
 */
export const observability = (environment: Environment, release: string) => {
  const isPretty = Option.match(environment.LOG_FORMAT, {
    onSome: (format) => format === "pretty",
    onNone: () => process.stderr.isTTY
  })
  return collector(environment, release).pipe(
    Layer.provideMerge(Logger.layer([isPretty ? Logger.consolePretty() : jsonLines])),
    Layer.provideMerge(Layer.succeed(References.LogToStderr, true)),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, environment.LOG_LEVEL))
  )
}
