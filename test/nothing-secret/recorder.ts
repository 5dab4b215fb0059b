import { Cause, Exit, Layer, Logger, References, type Tracer } from "effect"
import { recordedSpans } from "../support/recordedSpans.ts"

/** Keeps what one run logs and traces, at every level. */
export const recorder = () => {
  const logs: Array<string> = []
  const { layer, spans } = recordedSpans()
  const logger = Logger.make((options: Logger.Options<unknown>) => {
    logs.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options))
  })
  const watched = Layer.mergeAll(
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "Trace"),
    layer
  )
  // Exporters send the failure of a span; the value of a success stays in memory.
  const failureOf = ({ status }: Tracer.NativeSpan) =>
    status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""
  const exported = (span: Tracer.NativeSpan) =>
    JSON.stringify([span.name, [...span.attributes], span.events, failureOf(span)], (_, value) =>
      typeof value === "bigint" ? String(value) : value
    )
  const seen = () => ({ logs, spans: spans.map(exported) })
  return { watched, seen }
}
