import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted, Ref, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../layers/postgres/Database.ts"
import { ReadPool } from "../../src/platform/ports/ReadPool.ts"
import { type Heard, Signals } from "../../src/platform/ports/Signals.ts"
import { unavailableDependency } from "../../src/platform/sql/unavailable.ts"
import { examined, states } from "../layers/doctor/examined.ts"
import { freshDatabase } from "../support/Database.ts"
import { eventually } from "../support/eventually.ts"
import { primaryAndStandby } from "../wire/ownPostgres.ts"
import { pgBouncer } from "./pgBouncer.ts"

/** A process of the service over this URL, with what it hears about work and what it logs. */
const process = Effect.fnUntraced(function* (url: Redacted.Redacted, options: Database.PoolOptions = {}) {
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatSimple, (line) => void logged.push(line))])
  const context = yield* Layer.build(
    Database.layer({
      signals: true,
      maxConnections: 4,
      statementTimeoutMillis: 500,
      deadlineMillis: 2_000,
      ...options,
      url
    }).pipe(Layer.provide(logger))
  )
  const sql = Context.get(context, SqlClient.SqlClient)
  const signals = Context.get(context, Signals)
  const heard = yield* Ref.make<ReadonlyArray<Heard>>([])
  yield* signals.heard("work").pipe(
    Stream.runForEach((event) => Ref.update(heard, (all) => [...all, event])),
    Effect.provide(logger),
    Effect.forkScoped
  )
  return { heard, logged, signals, sql }
})

const hears = (heard: Ref.Ref<ReadonlyArray<Heard>>, ...expected: ReadonlyArray<string>) =>
  eventually(
    "signals",
    Effect.map(Ref.get(heard), (all) => {
      const names = all.map((it) => (it._tag === "signal" ? it.text : it._tag))
      return JSON.stringify(names) === JSON.stringify(expected)
    })
  )

/** Runs more statements and transactions than there are connections, in many fibers. */
const busy = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`create table if not exists busy (id int primary key, text text)`
  const write = (id: number) =>
    sql.withTransaction(
      Effect.andThen(
        sql`insert into busy values (${id}, ${`text ${id}`})`,
        sql`update busy set text = text || '!' where id = ${id}`
      )
    )
  yield* Effect.forEach(
    Array.from({ length: 60 }, (_, id) => id),
    write,
    { concurrency: "unbounded" }
  )
  const read = (id: number) =>
    Effect.map(sql`select text from busy where id = ${id}`, (rows) =>
      assert.deepStrictEqual(rows, [{ text: `text ${id}!` }])
    )
  yield* Effect.forEach(
    Array.from({ length: 300 }, (_, id) => id % 60),
    read,
    { concurrency: "unbounded" }
  )
})

/** Runs a statement that takes too long, and returns how it failed once the server has given it up. */
const stopped = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const error = yield* Effect.flip(sql`select pg_sleep(60)`)
  yield* eventually(
    "an end on the server",
    Effect.map(
      sql`select from pg_stat_activity where datname = current_database() and query ~ '^select pg_sleep' and state = 'active'`,
      (rows) => rows.length === 0
    )
  )
  return error.reason._tag
})

/** Finds the words of the doctor about the pooler at a URL. */
const aboutPooler = (pooled: Redacted.Redacted) =>
  examined({
    DATABASE_URL: Redacted.value(pooled),
    SERVER_SECRET: "a secret for the tests of the pooler"
  }).pipe(Effect.map((of) => of("database").filter(({ said }) => /pooler/.test(said))))

describe("PgBouncer", () => {
  it.live("A pooler in transaction mode needs no setting but the direct URL", () =>
    Effect.gen(function* () {
      const direct = yield* freshDatabase("services_pgbouncer_transaction")
      const pooled = yield* pgBouncer(direct, "transaction", "pool_size=4")
      const { heard, logged, signals, sql } = yield* process(pooled, { directUrl: direct })
      yield* hears(heard, "listening")
      yield* signals.send("work", ["mail"])
      yield* hears(heard, "listening", "mail")
      yield* busy(sql)
      assert.strictEqual(yield* stopped(sql), "StatementTimeoutError")
      const inTransaction = yield* Effect.flip(sql.withTransaction(sql`select pg_sleep(60)`))
      assert.strictEqual(unavailableDependency(inTransaction), "database")
      assert.deepStrictEqual(logged, [])
    })
  )

  it.live("A pooler in transaction mode without the direct URL is told, and nothing is heard", () =>
    Effect.gen(function* () {
      const direct = yield* freshDatabase("services_pgbouncer_deaf")
      const pooled = yield* pgBouncer(direct, "transaction")
      const { heard, logged, sql } = yield* process(pooled)
      yield* busy(sql)
      assert.lengthOf(logged, 1)
      assert.include(logged[0], "DATABASE_URL leads to a pooler")
      assert.deepStrictEqual(yield* Ref.get(heard), [])
      const listeners = yield* sql`select from pg_stat_activity
        where datname = current_database() and query ilike 'listen%'`
      assert.lengthOf(listeners, 0, "a listener would disturb the next client of its connection")
      const found = yield* aboutPooler(pooled)
      assert.deepStrictEqual(states(found), ["warning", "warning"])
      const [connectQuery = ""] = /connect_query='.+'/.exec(found[1]?.advice ?? "") ?? []
      const advised = yield* aboutPooler(yield* pgBouncer(direct, "transaction", connectQuery))
      assert.deepStrictEqual(states(advised), ["warning"])
    })
  )

  it.live("A standby behind a pooler gets reads, and the primary those that are slow on it", () =>
    Effect.gen(function* () {
      const { primary, standby } = yield* primaryAndStandby
      const readUrl = yield* pgBouncer(Redacted.make(standby.url), "transaction")
      const context = yield* Layer.build(Database.layer({ url: Redacted.make(primary.url), readUrl }))
      const sql = Context.get(context, SqlClient.SqlClient)
      const isStandby = (slow: number) =>
        Context.get(context, ReadPool).run(
          Effect.map(
            sql<{ readonly it: boolean }>`select pg_is_in_recovery() as it,
              pg_sleep(case when pg_is_in_recovery() then ${slow} else 0 end)::text`,
            ([row]) => row?.it === true
          )
        )
      yield* eventually("a read on the standby", isStandby(0))
      assert.isFalse(yield* isStandby(60))
      yield* eventually("a read on the standby", isStandby(0))
    })
  )

  it.live("A pooler in session mode keeps named statements and listeners", () =>
    Effect.gen(function* () {
      const pooled = yield* pgBouncer(yield* freshDatabase("services_pgbouncer_session"), "session")
      const { heard, sql } = yield* process(pooled, { directUrl: pooled, prepared: "named" })
      yield* hears(heard, "listening")
      yield* busy(sql)
      assert.strictEqual(yield* stopped(sql), "StatementTimeoutError")
    })
  )
})
