import { Effect } from "effect"
import { Leaderboards } from "../../../src/engagement/leaderboards/Leaderboards.ts"
import { later, now } from "../../../src/platform/time/now.ts"

/** Refreshes the leaderboards that are due, as the worker does. Returns how many there were. */
export const refreshDue = Effect.gen(function* () {
  const leaderboards = yield* Leaderboards
  const at = yield* now
  const claimed = yield* leaderboards.claim({ at, leaseUntil: later(at, 60_000), limit: 100 })
  yield* Effect.forEach(claimed, leaderboards.refresh, { discard: true })
  return claimed.length
})
