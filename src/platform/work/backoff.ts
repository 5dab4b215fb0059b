import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { later, now } from "../time/now.ts"

/** Waits between attempts: the first doubles with each failure until it is the longest. */
export interface Backoff {
  readonly firstMillis: number
  readonly longestMillis: number
}

/** Jitter shortens a wait by a fifth at most. */
const JITTER_PART = 5

/**
 * Returns the wait after `failures` failures in a row, at least one, before jitter. A `Schedule` cannot keep it, because
 * several processes may make the attempts at one row.
 */
export const backoffMillis = ({ firstMillis, longestMillis }: Backoff, failures: number): number =>
  Math.min(firstMillis * 2 ** (failures - 1), longestMillis)

/** Returns the time of the next attempt, up to a fifth earlier than the wait. Rows that failed together spread out. */
export const nextAttempt = Effect.fnUntraced(function* (
  random: SecureRandom.SecureRandom["Service"],
  backoff: Backoff,
  failures: number
) {
  const millis = backoffMillis(backoff, failures)
  return later(yield* now, millis - (yield* random.intBetween(0, millis / JITTER_PART)))
})
