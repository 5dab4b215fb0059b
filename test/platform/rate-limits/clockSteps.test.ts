import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Result } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as RateLimiterStoreMemory from "../../../layers/rate-limits/RateLimiterStoreMemory.ts"
import { type LimitName, limits } from "../../../schemas/platform/rate-limits/limits.ts"
import { RateLimits } from "../../../src/platform/rate-limits/RateLimits.ts"

const names = Object.keys(limits) as ReadonlyArray<LimitName>

/** The distance of the steps: about the 93,636 seconds that a client was once told to wait. */
const DAY_AND_TWO_HOURS = 93_600_000

const limited = Effect.provide(
  Layer.fresh(RateLimits.layer).pipe(Layer.provide(Layer.fresh(RateLimiterStoreMemory.layer)))
)

const consume = (limit: LimitName) =>
  Effect.result(Effect.flatMap(RateLimits, (rateLimits) => rateLimits.consume(limit, "ada")))

const exhaust = (limit: LimitName) =>
  Effect.forEach(Array.from({ length: limits[limit].limit }), () => consume(limit))

const waitOf = Effect.fnUntraced(function* (limit: LimitName) {
  const refused = yield* consume(limit)
  assert.isTrue(Result.isFailure(refused), limit)
  const seconds = Result.isFailure(refused) ? refused.failure.retryAfterSeconds : 0
  assert.isAtMost(seconds, limits[limit].windowSeconds, limit)
  return seconds
})

/** Moves the clock, backwards for negative distances. */
const step = (millis: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => TestClock.setTime(now + millis))

const start = TestClock.setTime(Date.UTC(2026, 10, 21, 5))

describe("a clock that steps back", () => {
  it.effect("A client waits at most the window and is then served, after a step back", () =>
    Effect.gen(function* () {
      yield* start
      for (const limit of names) {
        yield* exhaust(limit)
        yield* step(-DAY_AND_TWO_HOURS)
        const seconds = yield* waitOf(limit)
        yield* step(seconds * 1000)
        assert.isTrue(Result.isSuccess(yield* consume(limit)), `${limit} after ${seconds} s`)
      }
    }).pipe(limited)
  )

  it.effect("A step back does not lift a limit that is used up", () =>
    Effect.gen(function* () {
      yield* start
      for (const limit of names) {
        yield* exhaust(limit)
        yield* step(-1000)
        yield* waitOf(limit)
        yield* step(-DAY_AND_TWO_HOURS)
        yield* waitOf(limit)
      }
    }).pipe(limited)
  )

  it.effect("No window of the store in process is longer than its requests", () =>
    Effect.gen(function* () {
      yield* start
      const history = fc.array(
        fc.record({
          pass: fc.oneof(fc.integer({ min: -5_000, max: 5_000 }), fc.constant(-DAY_AND_TWO_HOURS)),
          tokens: fc.constantFrom(-1, 0, 1, 1, 2)
        }),
        { maxLength: 40 }
      )
      for (const steps of fc.sample(history, { numRuns: 300, seed: 11 })) {
        const { fixedWindow } = RateLimiterStoreMemory.make(10)
        const ask = (tokens: number) =>
          fixedWindow({ key: "a", tokens, limit: 3, refillRate: Duration.millis(400) })
        for (const { pass, tokens } of steps) {
          yield* step(pass)
          const [, wait] = yield* ask(tokens)
          assert.isAtMost(wait, 1200, JSON.stringify(steps))
        }
        const [, wait] = yield* ask(0)
        yield* step(Math.max(0, wait))
        assert.deepStrictEqual(yield* ask(3), [3, 1200], JSON.stringify(steps))
      }
    })
  )

  it.effect("No wait is longer than the window, with any answer of a store in another process", () =>
    Effect.gen(function* () {
      const late = Layer.succeed(RateLimiter.RateLimiterStore, {
        ...RateLimiterStoreMemory.make(1),
        fixedWindow: ({ limit }) => Effect.succeed([(limit ?? 0) + 1, DAY_AND_TWO_HOURS])
      })
      yield* Effect.forEach(names, waitOf).pipe(
        Effect.provide(Layer.fresh(RateLimits.layer).pipe(Layer.provide(late)))
      )
    })
  )
})
