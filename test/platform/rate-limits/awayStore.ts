import { Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"

const away = Effect.fail(
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "told to be away" })
  })
)

/** Store that is unavailable. */
export const awayStore = Layer.succeed(RateLimiter.RateLimiterStore, {
  fixedWindow: () => away,
  tokenBucket: () => away,
  adaptiveConsume: () => away,
  adaptiveFeedback: () => away
})
