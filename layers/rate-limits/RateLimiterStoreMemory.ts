import { Clock, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { makeExpiringKeys } from "./expiringKeys.ts"

const noAdaptiveLimits = Effect.die(
  new Error("Limits that adapt to answers are not used, so they have no store")
)

/** Maximum number of counters in one process, about 20 MB. */
const KEYS_MAX = 100_000

interface Bucket {
  readonly tokens: number
  /** Start of the interval that refills now, in milliseconds. */
  readonly refilledAt: number
}

/** Makes a store with at most this many counters, in this process. */
export const make = (maximum = KEYS_MAX): RateLimiter.RateLimiterStore["Service"] => {
  const counts = makeExpiringKeys<{ readonly count: number; readonly expiresAt: number }>(maximum)
  const buckets = makeExpiringKeys<Bucket>(maximum)

  return RateLimiter.RateLimiterStore.of({
    fixedWindow: ({ key, limit, refillRate, tokens }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const known = counts.get(key, now) ?? { count: 0, expiresAt: now }
        const { count } = known
        // A clock that steps back must not make a window longer, nor begin it again with each refusal.
        const expiresAt = Math.min(known.expiresAt, now + Duration.toMillis(refillRate) * count)
        const next = { count: count + tokens, expiresAt: expiresAt + Duration.toMillis(refillRate) * tokens }
        if (limit !== undefined && next.count > limit) {
          if (expiresAt < known.expiresAt) counts.set(key, { count, expiresAt }, expiresAt, now)
          return [next.count, expiresAt - now]
        }
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
        // A full bucket is the same as none.
        const fullAt = refilledAt + Math.ceil(limit - left) * refillMillis
        buckets.set(key, { tokens: left, refilledAt }, fullAt, now)
        return [next, Math.max(0, now - refilledAt)]
      }),

    adaptiveConsume: () => noAdaptiveLimits,
    adaptiveFeedback: () => noAdaptiveLimits
  })
}

/**
 * Counters in this process, at most 100,000. Each is forgotten when its window ends. A further counter replaces the
 * oldest one, so that an attacker needs as many addresses to lose one.
 */
export const layer = Layer.sync(RateLimiter.RateLimiterStore, () => make())
