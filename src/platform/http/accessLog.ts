import { type Context, Effect, type Fiber, LogLevel, Metric, References } from "effect"

const duration = Metric.histogram("http_request_duration_seconds", {
  description: "Seconds from the headers of a request to its answer",
  boundaries: Metric.boundariesFromIterable([
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
  ])
})

// Keeps one series for each route and status.
const series = new Map<string, typeof duration>()
const durationOf = (method: string, route: string, status: number) => {
  const key = `${method} ${route} ${status}`
  const known = series.get(key)
  if (known !== undefined) return known
  const made = Metric.withAttributes(duration, { method, route, status: String(status) })
  series.set(key, made)
  return made
}

/** Refusals that a stranger can cause in any number. The metrics count them, and a line for each would fill the log. */
const COUNTED_ONLY = new Set([404, 405, 429])

/** The question of load balancers, each second: "not now" is an answer, and no failure. The log says elsewhere what is missing. */
const READY = "/health/ready"

/**
 * Returns the log level of a request: debug for a successful read, higher for a change or a failure. An answer with the
 * price of a Post is an ordinary answer, too.
 */
const levelOf = (method: string, route: string, status: number): LogLevel.Severity => {
  if (status === 503 && route === READY) return "Debug"
  if (status >= 500) return "Error"
  if (COUNTED_ONLY.has(status)) return "Debug"
  const isRead = method === "GET" || method === "HEAD" || method === "OPTIONS"
  return isRead && (status < 400 || status === 402) ? "Debug" : "Info"
}

/** Returns true when the log shows requests of this level. */
const isShown = (level: LogLevel.Severity, minimum: LogLevel.LogLevel) =>
  LogLevel.isGreaterThanOrEqualTo(level, minimum)

/** Returns true when the log shows successful reads. */
export const showsReads = (minimum: LogLevel.LogLevel): boolean => isShown(levelOf("GET", "/", 200), minimum)

export interface AnsweredRequest {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly nanos: number
}

/** Counts a request in the metrics. */
export const countAccess = (context: Context.Context<never>, request: AnsweredRequest): void => {
  const { method, nanos, route, status } = request
  durationOf(method, route, status).updateUnsafe(nanos / 1e9, context)
}

/** Counts a request in the metrics, and writes its line of the log where the level asks for it. */
export const logAccess = (
  fiber: Fiber.Fiber<unknown, unknown>,
  request: AnsweredRequest
): Effect.Effect<void> => {
  const { method, nanos, route, status } = request
  countAccess(fiber.context, request)
  const level = levelOf(method, route, status)
  if (!isShown(level, fiber.getRef(References.MinimumLogLevel))) return Effect.void
  const line = Effect.logWithLevel(level)("request")
  return Effect.annotateLogs(line, { method, route, status, milliseconds: nanos / 1e6 })
}
