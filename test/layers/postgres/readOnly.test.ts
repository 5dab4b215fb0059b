import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as ReadinessDatabase from "../../../layers/postgres/ReadinessDatabase.ts"
import { Readiness } from "../../../src/platform/ports/Readiness.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { makeReadOnly, makeWritable } from "../../support/readOnly.ts"

/** A pool of one connection over a fresh database of this name, with its readiness. */
const writing = (name: string) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      Layer.provideMerge(ReadinessDatabase.layer, database(name, { maxConnections: 1 }))
    )
    const sql = Context.get(context, SqlClient.SqlClient)
    yield* sql`create table chores (id int)`

    /** Makes the database read-only, and the connection of the pool with it. */
    const readOnly = Effect.andThen(
      makeReadOnly(name),
      eventually(
        "a read-only connection",
        sql`select from pg_settings where name = 'transaction_read_only' and setting = 'on'`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orElseSucceed(() => false)
        )
      )
    )
    return {
      sql,
      readOnly,
      readiness: Context.get(context, Readiness),
      write: sql`insert into chores values (1)`
    }
  })

describe("a read-only database", () => {
  it.effect("A read-only database is unavailable for writes, and the pool finds the writable one", () =>
    Effect.gen(function* () {
      const { readOnly, sql, write } = yield* writing("test_read_only")
      yield* readOnly
      for (const written of [write, write, sql.withTransaction(write), sql.withTransaction(write)])
        assert.strictEqual(unavailableDependency(yield* Effect.flip(written)), "database")
      assert.deepStrictEqual(yield* sql`select from chores`, [])
      yield* sql`select 1`
      yield* makeWritable("test_read_only")
      // The connection of that read is read-only. It ends with the write that it refuses.
      yield* Effect.flip(write)
      yield* write
      yield* sql.withTransaction(write)
    })
  )

  it.effect("A read-only database keeps the connection for the reads that share it", () =>
    Effect.gen(function* () {
      const { readOnly, sql, write } = yield* writing("test_read_only_shared")
      yield* readOnly
      const [refused, ...read] = yield* Effect.all(
        [Effect.flip(write), sql`select 1 as one`, sql`select 2 as two`],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(unavailableDependency(refused), "database")
      assert.deepStrictEqual(read, [[{ one: 1 }], [{ two: 2 }]])
    })
  )

  it.effect("A read-only database is not ready until it is writable again", () =>
    Effect.gen(function* () {
      const { readiness, readOnly, sql } = yield* writing("test_read_only_ready")
      assert.deepStrictEqual(yield* readiness.check, [])
      yield* readOnly
      assert.deepStrictEqual(yield* readiness.check, ["database"])
      assert.deepStrictEqual(yield* readiness.check, ["database"])
      assert.deepStrictEqual(yield* readiness.checkReads, [])
      yield* sql`select 1`
      yield* makeWritable("test_read_only_ready")
      // A process that is not ready gets no writes, so readiness itself ends the connection from before.
      assert.deepStrictEqual(yield* readiness.check, ["database"])
      assert.deepStrictEqual(yield* readiness.check, [])
    })
  )
})

/** Conditions in which the same statement may succeed later, as PostgreSQL names them. */
const AWAY = ["08000", "08006", "25006", "53000", "53100", "53200", "53300", "57P01", "57P02", "57P03"]

describe("a failure of a statement", () => {
  it.effect("A failure means an unavailable database by its SQLSTATE", () =>
    Effect.gen(function* () {
      const { sql } = yield* writing("test_read_only_codes")
      const failing = (code: string) =>
        sql.unsafe(`do $$ begin raise exception 'failed' using errcode = '${code}'; end $$`)
      for (const code of AWAY)
        assert.strictEqual(unavailableDependency(yield* Effect.flip(failing(code))), "database", code)
      for (const code of ["22012", "25001", "25P02", "P0001"])
        assert.isUndefined(unavailableDependency(yield* Effect.flip(failing(code))), code)
    })
  )
})
