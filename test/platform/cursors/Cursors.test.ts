import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import * as fc from "fast-check"
import { ports } from "../../../layers/testing/testing.ts"
import { Cursor } from "../../../schemas/platform/Cursor.ts"
import { CURSOR_CHARACTERS_MAX, Cursors } from "../../../src/platform/cursors/Cursors.ts"
import { database } from "../../support/Database.ts"

const positions = fc.array(fc.string({ unit: "binary", maxLength: 30 }), { maxLength: 4 })
const lists = fc.string({ unit: "binary", maxLength: 60 })

/** Checks a property for random lists and positions. */
const checkAll = <Ts extends [unknown, ...Array<unknown>]>(
  arbitraries: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> },
  property: (cursors: Cursors["Service"], ...values: Ts) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const cursors = yield* Cursors
    const run = Effect.runPromiseWith(yield* Effect.context())
    yield* Effect.promise(() =>
      fc.assert(fc.asyncProperty(...arbitraries, (...values) => run(property(cursors, ...values))))
    )
  })

layer(Cursors.layer.pipe(Layer.provide(ports()), Layer.provide(database("test_cursors"))))(
  "cursors",
  (it) => {
    it.effect("A cursor gives its position back to its list", () =>
      checkAll([lists, positions], (cursors, list, position) =>
        Effect.gen(function* () {
          const cursor = yield* cursors.make(list, position)
          assert.match(cursor, /^[\w.-]+$/)
          assert.deepStrictEqual(yield* cursors.read(list, cursor), Option.some(position))
        })
      )
    )

    it.effect("A cursor is invalid for another list", () =>
      checkAll([lists, lists, positions], (cursors, list, other, position) =>
        Effect.gen(function* () {
          if (list === other) return
          const cursor = yield* cursors.make(list, position)
          assert.isTrue(Option.isNone(yield* cursors.read(other, cursor)))
        })
      )
    )

    it.effect("A cursor is invalid once a part of it is another's", () =>
      checkAll([lists, positions, positions], (cursors, list, position, other) =>
        Effect.gen(function* () {
          const [version, key, mac] = (yield* cursors.make(list, position)).split(".") as [
            string,
            string,
            string
          ]
          const [, otherKey, otherMac] = (yield* cursors.make(list, other)).split(".") as [
            string,
            string,
            string
          ]
          const isNone = (cursor: string) => Effect.map(cursors.read(list, cursor), Option.isNone)
          for (const cursor of [
            `0.${key}.${mac}`,
            `2.${key}.${mac}`,
            `.${key}.${mac}`,
            `${version}.${key}`,
            `${version}.${key}.`,
            `${version}..${mac}`,
            `${version}.${key}.${mac}.`,
            `${version}.${key}.${mac}.${mac}`,
            `${version}.${key}.${mac.slice(0, -2)}`,
            ...(key === otherKey ? [] : [`${version}.${otherKey}.${mac}`, `${version}.${key}.${otherMac}`])
          ])
            assert.isTrue(yield* isNone(cursor), cursor)
        })
      )
    )

    it.effect("Any other text is an invalid cursor", () =>
      checkAll([lists, fc.oneof(fc.string({ unit: "binary" }), fc.base64String())], (cursors, list, text) =>
        Effect.gen(function* () {
          assert.isTrue(Option.isNone(yield* cursors.read(list, text)))
          assert.isTrue(Option.isNone(yield* cursors.read(list, `1.${text}.${text}`)))
        })
      )
    )

    it.effect("A cursor of a time and an id fits into the query parameter", () =>
      Effect.gen(function* () {
        const position = [
          "2026-11-21T05:00:00.123456Z",
          "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
          "9".repeat(39)
        ]
        const cursor = yield* (yield* Cursors).make("a list", position)
        assert.isBelow(cursor.length, CURSOR_CHARACTERS_MAX)
        const isCursor = Schema.is(Cursor)
        assert.isTrue(isCursor("x".repeat(CURSOR_CHARACTERS_MAX)))
        assert.isFalse(isCursor("x".repeat(CURSOR_CHARACTERS_MAX + 1)))
      })
    )
  }
)
