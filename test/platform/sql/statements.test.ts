import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../../../src/platform/sql/statements.ts"
import { database } from "../../support/Database.ts"

const Row = Schema.Struct({ n: Schema.Int })
const words = Effect.map(SqlClient.SqlClient, (sql) => statements(sql, "things"))

layer(database("test_statements"))("statements", (it) => {
  it.effect("A statement of one returns the row, and dies without it", () =>
    Effect.gen(function* () {
      const { one } = yield* words
      const find = (n: number) => one("find", Row)`select m as n from generate_series(1, 3) m where m = ${n}`
      assert.deepStrictEqual(yield* find(2), { n: 2 })
      const exit = yield* Effect.exit(find(4))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it.effect("A statement of maybe returns the first row or none", () =>
    Effect.gen(function* () {
      const { maybe } = yield* words
      const find = (n: number) =>
        maybe("find", Row)`select m as n from generate_series(1, 3) m where m >= ${n} order by m`
      assert.deepStrictEqual(yield* find(2), Option.some({ n: 2 }))
      assert.deepStrictEqual(yield* find(4), Option.none())
    })
  )

  it.effect("A statement of many returns all rows", () =>
    Effect.gen(function* () {
      const { many } = yield* words
      const upTo = (n: number) => many("upTo", Row)`select m as n from generate_series(1, ${n}::int) m`
      assert.deepStrictEqual(yield* upTo(2), [{ n: 1 }, { n: 2 }])
      assert.deepStrictEqual(yield* upTo(0), [])
    })
  )

  it.effect("A statement of changed says whether a row changed, and run returns nothing", () =>
    Effect.gen(function* () {
      const { changed, run } = yield* words
      yield* run("prepare")`create table things (n int)`
      yield* run("insert")`insert into things values (1), (2), (2)`
      const remove = (n: number) => changed("remove")`delete from things where n = ${n}`
      assert.isTrue(yield* remove(2))
      assert.isFalse(yield* remove(2))
      assert.isTrue(yield* changed("update")`update things set n = 5`)
    })
  )

  it.effect("A statement dies of SQL that fails and of rows that do not decode", () =>
    Effect.gen(function* () {
      const { many, run } = yield* words
      for (const statement of [run("wrong")`select from missing`, many("text", Row)`select 'one' as n`]) {
        const exit = yield* Effect.exit(statement)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
    })
  )
})
