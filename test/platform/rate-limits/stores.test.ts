import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { makeExpiringKeys } from "../../../layers/rate-limits/expiringKeys.ts"
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
    isBucket: fc.boolean(),
    tokens: fc.constantFrom(-1, 0, 1, 1, 1, 2, 5),
    allowOverflow: fc.boolean()
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
        for (const { isBucket, pass, ...asked } of steps) {
          yield* TestClock.adjust(pass)
          const options = { ...asked, limit, refillRate: Duration.millis(refillMillis) }
          const answers = yield* Effect.forEach([ours, theirs], (store) =>
            isBucket
              ? store.tokenBucket({ ...options, tokens: Math.max(0, asked.tokens) })
              : store.fixedWindow(options)
          )
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

  it.effect("The store does not support limits that adapt", () =>
    Effect.gen(function* () {
      const { adaptiveConsume } = RateLimiterStoreMemory.make(1)
      const asked = { key: "a", tokens: 1, fallbackLimit: 1, fallbackWindow: Duration.seconds(1) }
      const died = yield* Effect.sandbox(adaptiveConsume(asked)).pipe(Effect.flip)
      assert.isTrue(died.reasons.every((it) => it._tag === "Die"))
    })
  )
})

describe("keys that expire", () => {
  it("Keys are never more than the maximum", () => {
    const operation = fc.record({
      key: fc.integer({ min: 0, max: 30 }).map(String),
      lives: fc.integer({ min: -10, max: 200_000 }),
      pass: fc.integer({ min: 0, max: 50_000 })
    })
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 100 }), (operations) => {
        const keys = makeExpiringKeys<number>(10)
        let now = 0
        for (const { key, lives, pass } of operations) {
          now += pass
          keys.set(key, now, now + lives, now)
          assert.isAtMost(keys.size(), 10)
          assert.strictEqual(keys.get(key, now), lives > 0 ? now : undefined)
          assert.strictEqual(keys.get(key, now + lives), undefined)
        }
      })
    )
  })

  it("Keys are forgotten within a minute of their end", () => {
    const keys = makeExpiringKeys<number>(100_000)
    for (let key = 0; key < 50_000; key++) keys.set(`${key}`, 1, 1_000 + key, 1_000)
    assert.strictEqual(keys.size(), 50_000 - 1)
    keys.set("another", 1, 500_000, 61_000)
    assert.strictEqual(keys.size(), 1)
  })
})
