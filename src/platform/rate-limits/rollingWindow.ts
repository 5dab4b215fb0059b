import { Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"

/** Largest quota for {@link consumeRolling}, which asks the store for each place of the quota. */
export const ROLLING_QUOTA_MAX = 5

/** Remainder of a quota, and the time until it is whole again. */
export interface Counted {
  readonly remaining: number
  readonly resetAfter: Duration.Duration
}

interface Quota {
  readonly key: string
  readonly limit: number
  readonly window: Duration.Duration
}

/** Counter of one place of a quota. */
const placeOf = ({ key, window }: Quota, place: number) => ({ key: `${key}:${place}`, limit: 1, window })

const exceeded = (key: string, limit: number, retryAfter: Duration.Duration) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitExceeded({ key, limit, remaining: 0, retryAfter })
  })

/**
 * Counts one request so that no window of this length, wherever it begins, exceeds the quota. Each place of the quota
 * has its own counter, taken for one whole window. That costs one store call for each place. It suits rare events with
 * exact limits, such as mails to one mailbox.
 */
export const consumeRolling = Effect.fnUntraced(function* (
  limiter: RateLimiter.RateLimiter,
  quota: Quota
): Effect.fn.Return<Counted, RateLimiter.RateLimiterError> {
  const { key, limit, window } = quota
  let isCounted = false
  let remaining = 0
  let soonest = window
  for (let place = 0; place < limit; place++) {
    // Once a place is taken, the others are only asked whether they are free.
    const tokens = isCounted ? 0 : 1
    const asked = limiter.consume({ ...placeOf(quota, place), tokens })
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

/** Frees the place that was taken last. */
export const giveBackRolling = Effect.fnUntraced(function* (limiter: RateLimiter.RateLimiter, quota: Quota) {
  let last: { readonly place: number; readonly resetAfter: Duration.Duration } | undefined
  for (let place = 0; place < quota.limit; place++) {
    const { remaining, resetAfter } = yield* limiter.consume({ ...placeOf(quota, place), tokens: 0 })
    const isLater = last === undefined || Duration.isGreaterThan(resetAfter, last.resetAfter)
    if (remaining === 0 && isLater) last = { place, resetAfter }
  }
  if (last !== undefined) yield* limiter.consume({ ...placeOf(quota, last.place), tokens: -1 })
})
