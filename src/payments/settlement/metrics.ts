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

/** The settlements without a known end. */
export const unresolvedSettlements = Metric.gauge("settlements_unresolved", {
  description: "Settlements that are settling or lapsed"
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
