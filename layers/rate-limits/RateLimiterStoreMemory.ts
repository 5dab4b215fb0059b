import { Clock, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { LRUCache } from "lru-cache"

const onlyWindows = Effect.die(new Error("The limits count fixed windows, so others have no store"))

/** Maximum number of counters in one process, about 20 MB. */
const KEYS_MAX = 100_000

interface Window {
  readonly count: number
  /** Time at which the window ends, in milliseconds. */
  readonly expiresAt: number
}

/** Makes a store with at most this many counters, in this process. */
export const make = (maximum = KEYS_MAX): RateLimiter.RateLimiterStore["Service"] => {
  // A bound by size allocates nothing before it is needed.
  const windows = new LRUCache<string, Window>({ maxSize: maximum, sizeCalculation: () => 1 })

  return RateLimiter.RateLimiterStore.of({
    fixedWindow: ({ key, limit, refillRate, tokens }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const window = windows.get(key)
        const known = window !== undefined && window.expiresAt > now ? window : { count: 0, expiresAt: now }
        const { count } = known
        // A clock that steps back must not make a window longer, nor begin it again with each refusal.
        const expiresAt = Math.min(known.expiresAt, now + Duration.toMillis(refillRate) * count)
        const next = { count: count + tokens, expiresAt: expiresAt + Duration.toMillis(refillRate) * tokens }
        if (limit !== undefined && next.count > limit) {
          if (expiresAt < known.expiresAt) windows.set(key, { count, expiresAt })
          return [next.count, expiresAt - now]
        }
        windows.set(key, next)
        return [next.count, next.expiresAt - now]
      }),
    tokenBucket: () => onlyWindows,
    adaptiveConsume: () => onlyWindows,
    adaptiveFeedback: () => onlyWindows
  })
}

/**
 * Counters in this process, at most 100,000. A further counter replaces the one that was counted longest ago, so that
 * an attacker needs as many addresses to lose one.
 */
export const layer = Layer.sync(RateLimiter.RateLimiterStore, () => make())
