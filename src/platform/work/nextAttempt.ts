import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type Backoff, backoffMillis } from "../time/backoff.ts"
import { later, now } from "../time/now.ts"

/** Jitter shortens a wait by a fifth at most. */
const JITTER_PART = 5

/** Returns a wait that is up to a fifth shorter. */
export const jittered = (random: SecureRandom.SecureRandom["Service"], millis: number) =>
  Effect.map(random.intBetween(0, Math.floor(millis / JITTER_PART)), (less) => millis - less)

/**
 * Returns the time of the next attempt, up to a fifth earlier than the wait. Rows that failed together spread out. A
 * `Schedule` cannot keep it, because several processes may make the attempts at one row.
 */
export const nextAttempt = Effect.fnUntraced(function* (
  random: SecureRandom.SecureRandom["Service"],
  backoff: Backoff,
  failures: number
) {
  const millis = backoffMillis(backoff, failures)
  return later(yield* now, yield* jittered(random, millis))
})
