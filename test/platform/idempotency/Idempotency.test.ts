import { assert, describe, layer, it as plain } from "@effect/vitest"
import { Effect, identity, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { fingerprintOf } from "../../../src/platform/idempotency/fingerprint.ts"
import {
  Idempotency,
  type IdempotentRequest,
  IntentChanged,
  type OnceRequest
} from "../../../src/platform/idempotency/Idempotency.ts"
import { IdempotencyRepo } from "../../../src/platform/idempotency/IdempotencyRepo.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { database } from "../../support/Database.ts"

const [ONE, TWO] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]

const request = (changes: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  scope: "post_creation",
  scopeId: ONE,
  idempotencyKey: "one",
  intent: { title: "On pennies" },
  resourceId: ONE,
  at: new Date(1000),
  expiresAt: new Date(2000),
  ...changes
})

const assemblyOver = (name: string) =>
  Idempotency.layer.pipe(
    Layer.provide(IdempotencyRepo.layer),
    Layer.provideMerge(Transactions.layer),
    Layer.provideMerge(database(name))
  )

const assembly = assemblyOver("test_idempotency")
const assemblyOfOnce = assemblyOver("test_idempotency_once")

layer(assembly)("requests that name themselves", (it) => {
  /** A name that other tests do not use. */
  let names = 0
  const fresh = (changes: Partial<IdempotentRequest> = {}) =>
    request({ idempotencyKey: `name-${names++}`, ...changes })

  it.effect("the first request claims the name, every repeat meets it", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const first = fresh()
      assert.isTrue(Option.isNone(yield* idempotency.earlier(first)))
      assert.isTrue(Option.isNone(yield* idempotency.claim(first)))
      const met = Option.some({ sameIntent: true, resourceId: ONE, response: null })
      assert.deepStrictEqual(yield* idempotency.claim({ ...first, resourceId: TWO }), met)
      assert.deepStrictEqual(yield* idempotency.earlier(first), met)
      const changed = yield* idempotency.claim({ ...first, intent: { title: "On pounds" } })
      assert.deepStrictEqual(changed, Option.some({ sameIntent: false, resourceId: ONE, response: null }))
    })
  )

  it.effect("a name is unique within its scope and its holder", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const first = fresh()
      yield* idempotency.claim(first)
      assert.isTrue(Option.isNone(yield* idempotency.claim({ ...first, scope: "post_publication" })))
      assert.isTrue(Option.isNone(yield* idempotency.claim({ ...first, scopeId: TWO })))
      assert.isTrue(
        Option.isNone(
          yield* idempotency.claim({ ...first, idempotencyKey: first.idempotencyKey.toUpperCase() })
        )
      )
    })
  )

  it.effect("keeps the answer for repeats", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const first = fresh()
      yield* idempotency.claim(first)
      yield* idempotency.keepResponse(first, `{"slug":"on-pennies"}`)
      const earlier = Option.getOrThrow(yield* idempotency.claim(first))
      assert.deepStrictEqual(JSON.parse(earlier.response ?? ""), { slug: "on-pennies" })
    })
  )

  it.effect("a name is free again at the moment of its expiry, and the old answer is gone", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const first = fresh()
      yield* idempotency.claim(first)
      yield* idempotency.keepResponse(first, "{}")
      assert.isTrue(Option.isSome(yield* idempotency.claim({ ...first, at: new Date(1999) })))
      const second = { ...first, resourceId: TWO, intent: {}, at: new Date(2000), expiresAt: new Date(3000) }
      assert.isTrue(Option.isNone(yield* idempotency.claim(second)))
      assert.deepStrictEqual(
        yield* idempotency.claim({ ...second, at: new Date(2001) }),
        Option.some({ sameIntent: true, resourceId: TWO, response: null })
      )
    })
  )

  it.effect("a name without an expiry is claimed for ever", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const first = fresh({ expiresAt: null })
      yield* idempotency.claim(first)
      assert.isTrue(Option.isSome(yield* idempotency.claim({ ...first, at: new Date(Date.UTC(2999, 0)) })))
    })
  )

  it.effect("a failed transaction releases the name", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sql = yield* SqlClient.SqlClient
      const first = fresh()
      yield* idempotency
        .claim(first)
        .pipe(Effect.andThen(Effect.fail("no")), sql.withTransaction, Effect.flip)
      assert.isTrue(Option.isNone(yield* idempotency.claim(first)))
    })
  )

  it.effect("of 20 at once, one claims the name and the others wait for its answer", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sql = yield* SqlClient.SqlClient
      const first = fresh()
      const outcomes = yield* Effect.all(
        Array.from({ length: 20 }, () =>
          idempotency.claim(first).pipe(
            Effect.tap((earlier) =>
              Option.isNone(earlier) ? idempotency.keepResponse(first, "{}") : Effect.void
            ),
            sql.withTransaction
          )
        ),
        { concurrency: "unbounded" }
      )
      const repeats = outcomes.filter(Option.isSome)
      assert.lengthOf(repeats, 19)
      for (const { value } of repeats) assert.deepInclude(value, { sameIntent: true, response: "{}" })
    })
  )
})

layer(assemblyOfOnce)("work that happens once for each key", (it) => {
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

  it.effect("runs the first request and replays its answer", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh()
      const work = counter()
      assert.deepStrictEqual(yield* once(request, work), { replayed: false, value: 1 })
      assert.deepStrictEqual(yield* once(request, work), { replayed: true, value: 1, resourceId: TWO })
    })
  )

  it.effect("keeps only a part of the answer when told so", () =>
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

  it.effect("runs each time without a key", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh({ idempotencyKey: undefined })
      const work = counter()
      yield* once(request, work)
      assert.deepStrictEqual(yield* once(request, work), { replayed: false, value: 2 })
    })
  )

  it.effect("fails when the key names another intent, and runs nothing", () =>
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

  it.effect("releases the key when the work fails", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const request = fresh()
      assert.strictEqual(yield* Effect.flip(once(request, () => Effect.fail("no"))), "no")
      assert.deepStrictEqual(yield* once(request, counter()), { replayed: false, value: 1 })
    })
  )

  it.effect("releases the key after its lifetime", () =>
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

  it.effect("runs once for 20 requests at the same time", () =>
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

describe("the fingerprint of an intent", () => {
  const isEqual = (one: unknown, other: unknown) =>
    Buffer.from(fingerprintOf(one)).equals(Buffer.from(fingerprintOf(other)))
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, it]) => [name, reversed(it)])
    )
  }

  plain("is the same in any order of the members", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => assert.isTrue(isEqual(value, reversed(value)))))
  })

  plain("differs with any value, name, type or order of an array", () => {
    const different: ReadonlyArray<readonly [unknown, unknown]> = [
      [{ a: 1 }, { a: 2 }],
      [{ a: 1 }, { b: 1 }],
      [{ a: 1 }, { a: "1" }],
      [{ a: null }, {}],
      [{ a: [1, 2] }, { a: [2, 1] }],
      [{ a: { b: 1 } }, { a: 1, b: 1 }],
      [{ a: "" }, { a: null }],
      [{ a: "é" }, { a: "e\u0301" }],
      [[], {}]
    ]
    for (const [one, other] of different) assert.isFalse(isEqual(one, other), JSON.stringify([one, other]))
  })
})
