import { Clock, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { makeExpiringKeys } from "./expiringKeys.ts"

/** Counters that one process keeps at most, about 20 MB of them. */
const KEYS_MAX = 100_000

interface Bucket {
  readonly tokens: number
  /** When the interval that is being refilled began, in milliseconds. */
  readonly refilledAt: number
}

const unused = Effect.die(new Error("Limits that adapt to answers are not used, so they have no store"))

/** The store over counters of its own. */
export const make = (maximum: number): RateLimiter.RateLimiterStore["Service"] => {
  const counts = makeExpiringKeys<{ readonly count: number; readonly expiresAt: number }>(maximum)
  const buckets = makeExpiringKeys<Bucket>(maximum)

  return RateLimiter.RateLimiterStore.of({
    fixedWindow: ({ key, limit, refillRate, tokens }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { count, expiresAt } = counts.get(key, now) ?? { count: 0, expiresAt: now }
        const next = { count: count + tokens, expiresAt: expiresAt + Duration.toMillis(refillRate) * tokens }
        if (limit !== undefined && next.count > limit) return [next.count, expiresAt - now]
        counts.set(key, next, next.expiresAt, now)
        return [next.count, next.expiresAt - now]
      }),

    tokenBucket: ({ allowOverflow, key, limit, refillRate, tokens }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const refillMillis = Duration.toMillis(refillRate)
        const known = buckets.get(key, now) ?? { tokens: limit, refilledAt: now }
        const refills = Math.max(0, Math.floor((now - known.refilledAt) / refillMillis))
        const current = refills > 0 ? Math.min(limit, known.tokens + refills) : known.tokens
        const refilledAt = current >= limit ? now : known.refilledAt + refills * refillMillis
        const next = current - tokens
        const left = allowOverflow || next >= 0 ? next : current
        // A bucket that is full again is one that nobody has used.
        const fullAt = refilledAt + Math.ceil(limit - left) * refillMillis
        buckets.set(key, { tokens: left, refilledAt }, fullAt, now)
        return [next, Math.max(0, now - refilledAt)]
      }),

    adaptiveConsume: () => unused,
    adaptiveFeedback: () => unused
  })
}

/**
 * Counters in this process. They are forgotten when their time is over, and there are at most 100,000: for one more,
 * that which was counted longest ago is forgotten, so somebody would need so many addresses to get rid of a counter.
 */
export const layer = Layer.sync(RateLimiter.RateLimiterStore, () => make(KEYS_MAX))
