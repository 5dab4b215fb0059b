import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Metric, Option } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as RateLimiterStoreMemory from "../../../layers/rate-limits/RateLimiterStoreMemory.ts"
import { type LimitName, limits } from "../../../schemas/platform/rate-limits/limits.ts"
import { DependencyUnavailable } from "../../../src/platform/ports/DependencyUnavailable.ts"
import { withSettings } from "../../../src/platform/ports/Settings.ts"
import { quotaOf, RateLimitExceeded, RateLimits } from "../../../src/platform/rate-limits/RateLimits.ts"
import { awayStore } from "./awayStore.ts"

const names = Object.keys(limits) as ReadonlyArray<LimitName>

/** Runs an effect with limits over a store of their own. */
const over = (
  store: Layer.Layer<RateLimiter.RateLimiterStore> = Layer.fresh(RateLimiterStoreMemory.layer),
  factor = 1
) =>
  Effect.provide(
    Layer.fresh(RateLimits.layer).pipe(
      Layer.provide(store),
      Layer.provide(withSettings({ rateLimitFactor: factor }))
    )
  )

const consume = (limit: LimitName, of = "somebody") =>
  Effect.flatMap(RateLimits, (rateLimits) => rateLimits.consume(limit, of))

const refusalOf = (limit: LimitName, of = "somebody") =>
  Effect.map(Effect.flip(consume(limit, of)), (error) => {
    assert.instanceOf(error, RateLimitExceeded)
    assert.strictEqual(error.limit, limit)
    return error.retryAfterSeconds
  })

/** Returns the value of a counter for these attributes, 0 before its first update. */
const counterOf = (id: string, attributes: Readonly<Record<string, string>>) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const found = metrics.find(
      (it) =>
        it.id === id && Object.entries(attributes).every(([name, value]) => it.attributes?.[name] === value)
    )
    return found?.type === "Counter" ? Number(found.state.count) : 0
  })

describe("the rate limits", () => {
  for (const limit of names) {
    const { limit: quota, windowSeconds } = limits[limit]

    it.effect(`The limit ${limit} is ${quota} in ${windowSeconds} s, not one more, and is then renewed`, () =>
      Effect.gen(function* () {
        for (let round = 0; round < 2; round++) {
          for (let left = quota - 1; left >= 0; left--) {
            const told = Option.getOrThrow(yield* consume(limit))
            assert.strictEqual(told.limit, limit)
            assert.strictEqual(told.remaining, left)
            assert.isAtLeast(told.resetSeconds, 1)
            assert.isAtMost(told.resetSeconds, windowSeconds)
          }
          assert.strictEqual(yield* refusalOf(limit), windowSeconds)
          // Other clients are not affected.
          yield* consume(limit, `somebody else ${round}`)
          yield* TestClock.adjust(windowSeconds * 1000 - 1)
          assert.strictEqual(yield* refusalOf(limit), 1)
          yield* TestClock.adjust(1)
        }
      }).pipe(over())
    )
  }

  it.effect("Mails to a mailbox are never more than the limit in any window, and no fewer", () =>
    Effect.gen(function* () {
      const pauses = fc.array(fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ max: 1500, min: 0 })), {
        minLength: 40,
        maxLength: 60
      })
      for (const [run, seconds] of fc.sample(pauses, 30).entries()) {
        const sent: Array<number> = []
        for (const pause of seconds) {
          yield* TestClock.adjust(pause * 1000)
          const at = yield* Clock.currentTimeMillis
          const recent = sent.filter((it) => it > at - 3_600_000)
          const counted = yield* Effect.result(consume("mailbox-hour", `mailbox ${run}`))
          assert.strictEqual(counted._tag === "Success", recent.length < 5, seconds.join(" "))
          if (counted._tag === "Success") {
            sent.push(at)
            assert.strictEqual(Option.getOrThrow(counted.success).remaining, 4 - recent.length)
          } else {
            const first = recent[0] ?? 0
            assert.strictEqual(counted.failure.retryAfterSeconds, Math.ceil((first + 3_600_000 - at) / 1000))
          }
        }
      }
    }).pipe(over())
  )

  it.effect("A client that waits as long as told is not refused again", () =>
    Effect.gen(function* () {
      for (const limit of names) {
        for (let i = 0; i < limits[limit].limit; i++) yield* consume(limit)
        yield* TestClock.adjust(1234)
        yield* TestClock.adjust((yield* refusalOf(limit)) * 1000)
        yield* consume(limit)
      }
    }).pipe(over())
  )

  it.effect("A count can be given back", () =>
    Effect.gen(function* () {
      const { giveBack } = yield* RateLimits
      for (let i = 0; i < 120; i++) yield* consume("post-creation")
      yield* giveBack("post-creation", "somebody")
      assert.strictEqual(Option.getOrThrow(yield* consume("post-creation")).remaining, 0)
      assert.strictEqual(yield* refusalOf("post-creation"), 60)
      yield* consume("mailbox-cooldown")
      yield* giveBack("mailbox-cooldown", "somebody")
      yield* consume("mailbox-cooldown")
      assert.strictEqual(yield* refusalOf("mailbox-cooldown"), 60)
      // Giving back undoes the last of several mails.
      for (let i = 0; i < 5; i++) {
        yield* consume("mailbox-hour")
        yield* TestClock.adjust("10 minutes")
      }
      yield* giveBack("mailbox-hour", "somebody")
      assert.strictEqual(Option.getOrThrow(yield* consume("mailbox-hour")).remaining, 0)
      assert.strictEqual(yield* refusalOf("mailbox-hour"), 600)
      // Giving back without a count changes nothing.
      yield* giveBack("mailbox-hour", "nobody")
      for (let left = 4; left >= 0; left--) {
        assert.strictEqual(Option.getOrThrow(yield* consume("mailbox-hour", "nobody")).remaining, left)
      }
    }).pipe(over())
  )

  it.effect("Limits are multiplied by the factor, and at least one", () =>
    Effect.gen(function* () {
      assert.strictEqual(quotaOf("key", 2.5), 1500)
      assert.strictEqual(quotaOf("key", 0.0001), 1)
      const wide = Effect.map(consume("mailbox-cooldown"), (it) => Option.getOrThrow(it).remaining)
      assert.strictEqual(yield* over(undefined, 1_000_000)(wide), 999_999)
      const narrow = Effect.andThen(consume("account"), refusalOf("account"))
      assert.strictEqual(yield* over(undefined, 0.001)(narrow), 60)
    })
  )

  it.effect("The store sees neither mailboxes nor addresses", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const store = RateLimiterStoreMemory.make(100)
      const watched = Layer.succeed(RateLimiter.RateLimiterStore, {
        ...store,
        fixedWindow: (options) => {
          keys.push(options.key)
          return store.fixedWindow(options)
        }
      })
      yield* Effect.forEach(names, (limit) => consume(limit, "ada@example.org")).pipe(over(watched))
      const byIds = keys.filter((key) => key.includes("ada"))
      assert.deepStrictEqual(
        byIds.map((key) => key.split(":")[0]),
        names.filter((name) => limits[name].by === "account" || limits[name].by === "key")
      )
      assert.isAbove(keys.length, names.length)
    })
  )

  for (const limit of names) {
    const { whenAway } = limits[limit]

    it.effect(`The limit ${limit} fails ${whenAway} without its store, and a metric counts it`, () =>
      Effect.gen(function* () {
        const attributes = { limit, outcome: whenAway }
        const before = yield* counterOf("rate_limit_store_failures_total", attributes)
        if (whenAway === "open") {
          assert.isTrue(Option.isNone(yield* consume(limit)))
        } else {
          const { reasons } = yield* Effect.flip(Effect.sandbox(consume(limit)))
          assert.lengthOf(reasons, 1)
          const [reason] = reasons
          const defect = reason?._tag === "Die" ? reason.defect : undefined
          assert.deepStrictEqual(defect, new DependencyUnavailable({ dependency: "rate limits" }))
        }
        assert.strictEqual(yield* counterOf("rate_limit_store_failures_total", attributes), before + 1)
      }).pipe(over(awayStore))
    )
  }

  it.effect("Giving back does nothing while the store is unavailable", () =>
    Effect.flatMap(RateLimits, ({ giveBack }) => giveBack("key", "somebody")).pipe(over(awayStore))
  )

  it.effect("A metric counts refusals", () =>
    Effect.gen(function* () {
      const before = yield* counterOf("rate_limit_refusals_total", { limit: "mailbox-cooldown" })
      yield* consume("mailbox-cooldown")
      yield* refusalOf("mailbox-cooldown")
      yield* refusalOf("mailbox-cooldown")
      const after = yield* counterOf("rate_limit_refusals_total", { limit: "mailbox-cooldown" })
      assert.strictEqual(after, before + 2)
    }).pipe(over())
  )
})
