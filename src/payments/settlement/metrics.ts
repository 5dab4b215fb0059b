import { Effect, Metric } from "effect"
import { now } from "../../platform/time/now.ts"
import type { SettlementRow } from "./settlementRow.ts"

const payments = Metric.counter("payments_total", {
  description: "Payments that ended, by kind, channel and outcome",
  incremental: true
})
const duration = Metric.histogram("settlement_duration_seconds", {
  description: "Time from the claim of a payment to its settlement",
  boundaries: [0.5, 1, 2, 5, 10, 30, 60, 300, 3600]
})

const unresolvedSettlements = Metric.gauge("settlements_unresolved", {
  description: "Settlements that are settling or lapsed, counted once a minute"
})
const oldestSettling = Metric.gauge("settlements_oldest_seconds", {
  description:
    "Age of the oldest payment that the ledger has neither confirmed nor refused, measured once a minute"
})

/** Measures the settlements without a known end. */
export const measureBacklog = Effect.fnUntraced(function* (backlog: {
  readonly unresolved: number
  readonly oldest_settling: Date | null
}) {
  const oldest = backlog.oldest_settling
  yield* Metric.update(unresolvedSettlements, backlog.unresolved)
  yield* Metric.update(
    oldestSettling,
    oldest === null ? 0 : ((yield* now).getTime() - oldest.getTime()) / 1000
  )
})

/** Counts the end of a payment. */
export const countEnd = Effect.fnUntraced(function* (
  { channel, created_at, kind }: Pick<SettlementRow, "channel" | "created_at" | "kind">,
  outcome: "settled" | "refused" | "lapsed"
) {
  yield* Metric.update(Metric.withAttributes(payments, { kind, channel, outcome }), 1)
  if (outcome !== "settled" || channel !== "x402") return
  yield* Metric.update(duration, ((yield* now).getTime() - created_at.getTime()) / 1000)
})
