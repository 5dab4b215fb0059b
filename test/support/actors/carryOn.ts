import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { later, now } from "../../../src/platform/time/now.ts"

/** Carries settlements that are due to their end, as a worker does. */
export const carryOn = Effect.gen(function* () {
  const { claimDue, resume } = yield* Settlements
  yield* TestClock.adjust("1 minute")
  const at = yield* now
  const due = yield* claimDue({ at, leaseUntil: later(at, 60_000), limit: 10 })
  yield* Effect.forEach(due, resume, { discard: true })
})
