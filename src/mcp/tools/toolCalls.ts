import { Clock, Effect, Metric } from "effect"
import type { ToolFailure } from "../../../schemas/mcp/ToolFailure.ts"
import { failing } from "./publicReads.ts"

/** Time for a call of a tool. */
const CALL_MILLIS = 10_000

const calls = Metric.counter("tool_calls_total", {
  description:
    "Calls of tools by outcome: ok, a reason why something is unavailable, or the code of a failure",
  incremental: true
})

const durations = Metric.histogram("tool_call_duration_seconds", {
  description: "Seconds from a call of a tool to its result",
  boundaries: Metric.boundariesFromIterable([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
})

const EDITION = "hosted"

/** Counts a call, and writes a line that has neither its arguments nor any text. */
export const countCall = (tool: string, outcome: string) =>
  Metric.update(Metric.withAttributes(calls, { edition: EDITION, tool, outcome }), 1).pipe(
    Effect.andThen(Effect.annotateLogs(Effect.logInfo("tool called"), { tool, outcome }))
  )

/** Returns the reason why a result has nothing to show, or `ok`. */
const outcomeOf = (result: object) =>
  "reason" in result && typeof result.reason === "string" ? result.reason : "ok"

/** Bounds the time of a call, and counts it by what came of it. */
export const counted =
  (tool: string) =>
  <A extends object, R>(call: Effect.Effect<A, ToolFailure, R>) =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const began = clock.currentTimeNanosUnsafe()
      const finish = (outcome: string) => {
        const seconds = Number(clock.currentTimeNanosUnsafe() - began) / 1e9
        return Effect.andThen(
          Metric.update(Metric.withAttributes(durations, { edition: EDITION, tool }), seconds),
          countCall(tool, outcome)
        )
      }
      return Effect.timeoutOrElse(call, {
        duration: CALL_MILLIS,
        orElse: () => failing("service-unavailable")
      }).pipe(
        Effect.tap((result) => finish(outcomeOf(result))),
        Effect.tapError(({ code }) => finish(code)),
        Effect.tapDefect(() => finish("internal"))
      )
    })
