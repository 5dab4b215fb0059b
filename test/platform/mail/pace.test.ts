import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Ref } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as RateLimiterStoreMemory from "../../../layers/rate-limits/RateLimiterStoreMemory.ts"
import { makePace } from "../../../src/platform/mail/pace.ts"
import { withSettings } from "../../../src/platform/ports/Settings.ts"

const at = (mails: number, seconds: number) =>
  Layer.merge(RateLimiterStoreMemory.layer, withSettings({ mailRate: { mails, seconds } }))

/** A store of counters that fails. */
const broken = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.map(RateLimiter.RateLimiterStore, (store) => ({
    ...store,
    fixedWindow: () =>
      Effect.fail(
        new RateLimiter.RateLimiterError({
          reason: new RateLimiter.RateLimitStoreError({ message: "The store is down" })
        })
      )
  }))
)

describe("the pace of mail to readers", () => {
  it.effect("A rate of 600 a minute lets 600 mails begin in each minute, in two places", () =>
    Effect.gen(function* () {
      const { myTurn } = yield* makePace
      const begun = yield* Ref.make(0)
      const sender = Effect.andThen(
        myTurn,
        Ref.update(begun, (count) => count + 1)
      ).pipe(Effect.forever)
      const fibers = yield* Effect.all([Effect.forkChild(sender), Effect.forkChild(sender)])
      for (let second = 0; second < 600; second++) yield* TestClock.adjust("100 millis")
      const count = yield* Ref.get(begun)
      assert.isAtLeast(count, 570)
      assert.isAtMost(count, 630)
      yield* Fiber.interruptAll(fibers)
    }).pipe(Effect.provide(at(600, 60)))
  )

  it.effect("A slow rate leaves mails in the outbox until their turn", () =>
    Effect.gen(function* () {
      const { isResting, myTurn } = yield* makePace
      assert.strictEqual(yield* myTurn, "now")
      assert.strictEqual(yield* myTurn, "far")
      assert.isTrue(yield* isResting)
      yield* TestClock.adjust("44 seconds")
      assert.isFalse(yield* isResting)
      assert.strictEqual(yield* myTurn, "now")
    }).pipe(Effect.provide(at(2000, 86_400)))
  )

  it.effect("A counter that fails lets no mail begin for a minute", () =>
    Effect.gen(function* () {
      const { isResting, myTurn } = yield* makePace
      assert.strictEqual(yield* myTurn, "far")
      assert.isTrue(yield* isResting)
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* isResting)
    }).pipe(Effect.provide(Layer.provideMerge(broken, at(600, 60))))
  )

  it.effect("A server that asks for a rest gets a minute", () =>
    Effect.gen(function* () {
      const { isResting, rest } = yield* makePace
      yield* rest
      yield* TestClock.adjust("59 seconds")
      assert.isTrue(yield* isResting)
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isResting)
    }).pipe(Effect.provide(at(600, 60)))
  )
})
