import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { asSearch } from "../../../src/platform/sql/asSearch.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"
import { database, freshDatabase } from "../../support/Database.ts"

const pid = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) => row?.pid)

const missed = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? unavailableDependency(Cause.squash(exit.cause)) : undefined

describe("searches", () => {
  it.live("Searches have connections of their own, and are stopped after their time", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        database("test_searches", { maxConnections: 1, searchTimeoutMillis: 1_500 })
      )
      const sql = Context.get(context, SqlClient.SqlClient)
      const slow = yield* Effect.forkChild(
        // Four have a connection each, and the others wait for one.
        Effect.replicateEffect(Effect.exit(asSearch(sql`select pg_sleep(60)`)), 8, {
          concurrency: "unbounded"
        }),
        { startImmediately: true }
      )
      assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
      assert.isUndefined(slow.pollUnsafe(), "the searches run until then")
      const ends = (yield* Fiber.join(slow)).map(missed)
      assert.strictEqual(ends.filter((dependency) => dependency === "search").length, 4)
      assert.strictEqual(ends.filter((dependency) => dependency === "database").length, 4)
      assert.deepStrictEqual(yield* asSearch(sql`select 1 as one`), [{ one: 1 }])
    })
  )

  it.effect("Searches take part in the transaction around them", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(database("test_searches_transaction"))
      const sql = Context.get(context, SqlClient.SqlClient)
      const [own, search] = yield* sql.withTransaction(Effect.all([pid(sql), asSearch(pid(sql))]))
      assert.strictEqual(search, own)
      assert.notStrictEqual(yield* asSearch(pid(sql)), yield* pid(sql))
    })
  )

  it.effect("Searches run normally with a client that does not read their mark", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_searches_own")
      const context = yield* Layer.build(PgClient.layer({ url, maxConnections: 1 }))
      const sql = Context.get(context, SqlClient.SqlClient)
      assert.strictEqual(yield* asSearch(pid(sql)), yield* pid(sql))
    })
  )
})
