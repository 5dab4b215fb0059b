import { assert, layer } from "@effect/vitest"
import { Effect, identity, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  Idempotency,
  IntentChanged,
  type OnceRequest
} from "../../../src/platform/idempotency/Idempotency.ts"
import { assemblyOver, ONE, TWO } from "./assembly.ts"

layer(assemblyOver("test_idempotency_once"))("work that happens once for each key", (it) => {
  let keys = 0
  const fresh = (changes: Partial<OnceRequest<number, number>> = {}): OnceRequest<number, number> => ({
    scope: "post_publication",
    scopeId: ONE,
    idempotencyKey: `key-${keys++}`,
    intent: { postId: ONE },
    resourceId: TWO,
    lifetimeMillis: 1000,
    keep: identity,
    kept: Schema.Int,
    ...changes
  })
  const counter = () => {
    let runs = 0
    return () => Effect.sync(() => ++runs)
  }

  it.effect("The first request runs, and a repeat replays its answer", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh()
      const work = counter()
      assert.deepStrictEqual(yield* once(request, work), { replayed: false, value: 1 })
      assert.deepStrictEqual(yield* once(request, work), { replayed: true, value: 1, resourceId: TWO })
    })
  )

  it.effect("A replay has only the part of the answer that was to be kept", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = { ...fresh(), keep: () => null, kept: Schema.Null }
      const work = () => Effect.succeed("secret")
      assert.deepStrictEqual(yield* once(request, work), { replayed: false, value: "secret" })
      assert.deepStrictEqual(yield* once(request, work), { replayed: true, value: null, resourceId: TWO })
      const kept = yield* (yield* SqlClient.SqlClient)`
        select from idempotency_records where response::text like '%secret%'`
      assert.lengthOf(kept, 0)
    })
  )

  it.effect("Work without a key runs each time", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh({ idempotencyKey: undefined })
      const work = counter()
      yield* once(request, work)
      assert.deepStrictEqual(yield* once(request, work), { replayed: false, value: 2 })
    })
  )

  it.effect("A key that names another intent fails, and runs nothing", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh()
      const work = counter()
      yield* once(request, work)
      const error = yield* Effect.flip(once({ ...request, intent: { postId: TWO } }, work))
      assert.instanceOf(error, IntentChanged)
      assert.deepStrictEqual(yield* work(), 2)
    })
  )

  it.effect("Work that fails releases its key", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh()
      assert.strictEqual(yield* Effect.flip(once(request, () => Effect.fail("no"))), "no")
      assert.deepStrictEqual(yield* once(request, counter()), { replayed: false, value: 1 })
    })
  )

  it.effect("A key is released after its lifetime", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh()
      const work = counter()
      yield* once(request, work)
      yield* TestClock.adjust(999)
      assert.isTrue((yield* once(request, work)).replayed)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* once(request, work), { replayed: false, value: 2 })
    })
  )

  it.effect("Twenty concurrent requests run the work once", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh()
      const work = counter()
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => once(request, work)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        answers.filter(({ replayed }) => replayed),
        19
      )
      for (const { value } of answers) assert.strictEqual(value, 1)
    })
  )
})
