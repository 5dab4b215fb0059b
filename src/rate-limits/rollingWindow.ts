import { Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"

/** A quota of this many requests, or fewer, is counted by {@link consumeRolling}. */
export const ROLLING_QUOTA_MAX = 5

/** What is left of a quota, and after how long all of it is there again. */
export interface Counted {
  readonly remaining: number
  readonly resetAfter: Duration.Duration
}

interface Quota {
  readonly key: string
  readonly limit: number
  readonly window: Duration.Duration
}

const exceeded = (key: string, limit: number, retryAfter: Duration.Duration) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitExceeded({ key, limit, remaining: 0, retryAfter })
  })

/**
 * Counts one request so that no window of this length, wherever it begins, has more than the quota: every place of the
 * quota is a counter of its own, taken for one whole window. That costs a call of the store for each place, so it is
 * for what is rare and must be exact, as mails to somebody are.
 */
export const consumeRolling = Effect.fnUntraced(function* (
  limiter: RateLimiter.RateLimiter,
  { key, limit, window }: Quota
): Effect.fn.Return<Counted, RateLimiter.RateLimiterError> {
  let isCounted = false
  let remaining = 0
  let soonest = window
  for (let place = 0; place < limit; place++) {
    // Once a place is taken, the others are only asked whether they are free.
    const tokens = isCounted ? 0 : 1
    const asked = limiter.consume({ key: `${key}:${place}`, limit: 1, window, tokens })
    const { left, retryAfter } = yield* Effect.catch(
      Effect.map(asked, (it) => ({ left: it.remaining, retryAfter: undefined })),
      Effect.fnUntraced(function* (error) {
        if (error.reason._tag !== "RateLimitExceeded") return yield* error
        return { left: 0, retryAfter: error.reason.retryAfter }
      })
    )
    if (isCounted) remaining += left
    else if (retryAfter === undefined) isCounted = true
    else soonest = Duration.min(soonest, retryAfter)
  }
  return isCounted ? { remaining, resetAfter: window } : yield* exceeded(key, limit, soonest)
})
