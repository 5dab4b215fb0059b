import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Idempotency, type IdempotentRequest } from "../../../src/platform/idempotency/Idempotency.ts"
import { assemblyOver, ONE, TWO } from "./assembly.ts"

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

layer(assemblyOver("test_idempotency"))("requests that name themselves", (it) => {
  /** A name that other tests do not use. */
  let names = 0
  const fresh = (changes: Partial<IdempotentRequest> = {}) =>
    request({ idempotencyKey: `name-${names++}`, ...changes })

  it.effect("The first request claims the name, and every repeat finds it", () =>
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

  it.effect("A name is unique within its scope and its holder", () =>
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

  it.effect("The answer is kept for repeats", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const first = fresh()
      yield* idempotency.claim(first)
      yield* idempotency.keepResponse(first, `{"slug":"on-pennies"}`)
      const earlier = Option.getOrThrow(yield* idempotency.claim(first))
      assert.deepStrictEqual(JSON.parse(earlier.response ?? ""), { slug: "on-pennies" })
    })
  )

  it.effect("A name is free again at the moment of its expiry, and the old answer is gone", () =>
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

  it.effect("A name without an expiry is claimed for ever", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const first = fresh({ expiresAt: null })
      yield* idempotency.claim(first)
      assert.isTrue(Option.isSome(yield* idempotency.claim({ ...first, at: new Date(Date.UTC(2999, 0)) })))
    })
  )

  it.effect("A failed transaction releases the name", () =>
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

  it.effect("Of 20 concurrent requests, one claims the name and the others wait for its answer", () =>
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
