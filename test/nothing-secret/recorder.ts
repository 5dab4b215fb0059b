import { Cause, Exit, Layer, Logger, References, Tracer } from "effect"

/** Keeps what one run logs and traces, at every level. */
export const recorder = () => {
  const logs: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const logger = Logger.make((options: Logger.Options<unknown>) => {
    logs.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options))
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const watched = Layer.mergeAll(
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "Trace"),
    Layer.succeed(Tracer.Tracer, tracer)
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
