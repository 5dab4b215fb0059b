import { Cause, Context, Effect, Layer, Logger, References } from "effect"

export interface LogLine {
  readonly level: string
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
  /** Cause as it is printed; empty without one. */
  readonly cause: string
}

/** Collects the whole log of a test, from the debug level on, in place of any other logger. */
export class Logs extends Context.Service<Logs, Array<LogLine>>()("pennypress/test/platform/http/Logs") {
  static readonly layer = Layer.unwrap(
    Effect.sync(() => {
      const lines: Array<LogLine> = []
      const logger = Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
        lines.push({
          level: logLevel,
          message: Array.isArray(message) && message.length === 1 ? message[0] : message,
          annotations: fiber.getRef(References.CurrentLogAnnotations),
          cause: cause.reasons.length === 0 ? "" : Cause.pretty(cause)
        })
      })
      return Layer.mergeAll(
        Layer.succeed(Logs, lines),
        Logger.layer([logger]),
        Layer.succeed(References.MinimumLogLevel, "Debug")
      )
    })
  )
}
