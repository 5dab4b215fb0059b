import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as RateLimiterStoreMemory from "../../../layers/rate-limits/RateLimiterStoreMemory.ts"
import { storeSuite } from "./storeSuite.ts"

const time = { it: it.effect, pass: (millis: number) => TestClock.adjust(millis), lateMillis: 0 }

describe("the store of effect", () => {
  storeSuite("effect", RateLimiter.layerStoreMemory, time)
})

describe("the store in process", () => {
  storeSuite("memory", RateLimiterStoreMemory.layer, time)

  const step = fc.record({
    pass: fc.integer({ min: 0, max: 900 }),
    key: fc.constantFrom("a", "b", "c"),
    tokens: fc.constantFrom(-1, 0, 1, 1, 1, 2, 5)
  })
  // Requests under one key have one quota.
  const history = fc.record({
    limit: fc.constantFrom(1, 2, 5),
    refillMillis: fc.constantFrom(1, 7, 100, 333.3),
    steps: fc.array(step, { maxLength: 60 })
  })

  it.effect("The store in process answers any request as the store of effect does", () =>
    Effect.gen(function* () {
      for (const { limit, refillMillis, steps } of fc.sample(history, 300)) {
        const ours = RateLimiterStoreMemory.make(1_000)
        const theirs = yield* Effect.provide(RateLimiter.RateLimiterStore, RateLimiter.layerStoreMemory, {
          local: true
        })
        for (const { pass, ...asked } of steps) {
          yield* TestClock.adjust(pass)
          const options = { ...asked, limit, refillRate: Duration.millis(refillMillis) }
          const answers = yield* Effect.forEach([ours, theirs], (store) => store.fixedWindow(options))
          assert.deepStrictEqual(answers[0], answers[1], JSON.stringify({ limit, refillMillis, steps }))
        }
      }
    })
  )

  it.effect("The store keeps a maximum number of counters, and forgets the one counted longest ago", () =>
    Effect.gen(function* () {
      const { fixedWindow } = RateLimiterStoreMemory.make(100)
      const count = (key: string) =>
        Effect.map(
          fixedWindow({ key, tokens: 1, limit: 1_000, refillRate: Duration.hours(1) }),
          ([count]) => count
        )
      for (let key = 0; key < 100; key++) assert.strictEqual(yield* count(`${key}`), 1)
      assert.strictEqual(yield* count("0"), 2)
      assert.strictEqual(yield* count("100"), 1)
      assert.strictEqual(yield* count("0"), 3)
      assert.strictEqual(yield* count("1"), 1)
    })
  )

  it.effect("The store supports neither buckets nor limits that adapt", () =>
    Effect.gen(function* () {
      const { adaptiveConsume, tokenBucket } = RateLimiterStoreMemory.make(1)
      const window = Duration.seconds(1)
      for (const unsupported of [
        Effect.asVoid(adaptiveConsume({ key: "a", tokens: 1, fallbackLimit: 1, fallbackWindow: window })),
        Effect.asVoid(
          tokenBucket({ key: "a", tokens: 1, limit: 1, allowOverflow: false, refillRate: window })
        )
      ]) {
        const died = yield* Effect.sandbox(unsupported).pipe(Effect.flip)
        assert.isTrue(died.reasons.every((it) => it._tag === "Die"))
      }
    })
  )
})
