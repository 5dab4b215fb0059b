import { Effect } from "effect"
import { Restrictions } from "../../../src/engagement/moderation/Restrictions.ts"
import { later, now } from "../../../src/platform/time/now.ts"

/** Lease of the work in tests. */
export const LEASE_MILLIS = 60_000

/** Claims the work after restrictions that is due, as a worker does. */
export const claimRestrictions = Effect.gen(function* () {
  const restrictions = yield* Restrictions
  const at = yield* now
  return yield* restrictions.claim({ at, leaseUntil: later(at, LEASE_MILLIS), limit: 10 })
})

/** Does all work after restrictions that is due. Returns the number of its steps. */
export const followRestrictions: Effect.Effect<number, never, Restrictions> = Effect.gen(function* () {
  const { follow } = yield* Restrictions
  let steps = 0
  for (;;) {
    const works = yield* claimRestrictions
    if (works.length === 0) return steps
    yield* Effect.forEach(works, follow, { discard: true })
    steps += works.length
  }
})
