import { type Effect, Metric } from "effect"

const opened = Metric.counter("sessions_opened_total", {
  description: "Owner sessions that were opened, by how their owner signed in",
  incremental: true
})

const refreshes = Metric.counter("session_refreshes_total", {
  description:
    "Refreshes by outcome: rotated, retried (the same pair again), refused, or reused, which ended the family",
  incremental: true
})

/** Counts a session that was opened. */
export const countOpened = (method: "nano" | "email"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(opened, { method }), 1)

/** Counts a refresh by its outcome. */
export const countRefresh = (outcome: "rotated" | "retried" | "refused" | "reused"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(refreshes, { outcome }), 1)
