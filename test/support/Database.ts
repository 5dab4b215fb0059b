import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Database from "../../layers/postgres/Database.ts"
import { onRealClock } from "../../layers/time/realClock.ts"

/** Deadlines of a pool under test. Those of the service would fail statements on a busy machine. */
const patience: Database.PoolOptions = {
  deadlineMillis: 60_000,
  statementTimeoutMillis: 60_000,
  searchTimeoutMillis: 60_000
}

/** Advisory lock of the worker that migrates the template. */
const templateLock = 7_266_001

/** Returns the URL of a database on the server of this run. */
export const urlOf = (database: string, server = process.env["TEST_DATABASE_URL"]) => {
  if (server === undefined)
    throw new Error("TEST_DATABASE_URL is missing: test/support/globalSetup.ts did not run")
  const url = new URL(server)
  url.pathname = `/${database}`
  return Redacted.make(url.toString())
}

/** Runs a use of `PgClient.make` on the real clock and closes its connections afterwards. */
const briefly = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  use.pipe(Effect.scoped, Effect.provide(Reactivity.layer), onRealClock)

/** Creates an empty database of this name and drops an older one. `template` names the database to copy. */
export const emptyDatabase = Effect.fn("emptyDatabase")(function* (
  name: string,
  options?: { readonly template?: string; readonly server?: string }
) {
  const sql = yield* PgClient.make({ url: urlOf("postgres", options?.server), maxConnections: 1 })
  yield* sql`drop database if exists ${sql(name)} with (force)`.unprepared
  yield* sql`create database ${sql(name)} template ${sql(options?.template ?? "template1")} strategy file_copy`
    .unprepared
  return urlOf(name, options?.server)
}, briefly)

const templateName = () => `pennypress_template_${process.env["TEST_RUN"]}`

/** Drops the template of the run from a server that outlives it. */
export const dropTemplate = Effect.gen(function* () {
  const name = templateName()
  const sql = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
  const there = yield* sql`select from pg_database where datname = ${name}`
  if (there.length === 0) return
  yield* sql`alter database ${sql(name)} is_template false`.unprepared
  yield* sql`drop database ${sql(name)} with (force)`.unprepared
}).pipe(briefly)

/** Makes the migrated database to copy, unless another worker has made it. Returns its name. */
const makeTemplate = Effect.gen(function* () {
  const name = templateName()
  const lock = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
  const sql = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
  yield* lock.withTransaction(
    Effect.gen(function* () {
      yield* lock`select pg_advisory_xact_lock(${templateLock})`
      // Marked as a template last, so a half-made one does not count.
      const finished = yield* sql`select from pg_database where datname = ${name} and datistemplate`
      if (finished.length > 0) return
      const url = yield* emptyDatabase(name)
      yield* Effect.scoped(Layer.build(Database.layer({ url })))
      yield* sql`alter database ${sql(name)} is_template true`.unprepared
    })
  )
  return name
}).pipe(briefly)

let made: string | undefined

/** Returns the name of a migrated database to copy, which takes 30 ms. The first caller in a run makes it. */
const template = Effect.suspend(() =>
  made === templateName()
    ? Effect.succeed(made)
    : Effect.tap(makeTemplate, (name) => Effect.sync(() => (made = name)))
)

/** Makes the password of a server cheap to check: every test file opens dozens of connections. */
export const makeLoginsCheap = Effect.gen(function* () {
  const { password, username } = new URL(Redacted.value(urlOf("postgres")))
  const sql = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
  yield* sql`set scram_iterations = 1`.unprepared
  yield* sql`alter user ${sql(username)} password ${sql.literal(`'${password}'`)}`.unprepared
}).pipe(briefly)

/** Creates a database with the current schema, for several assemblies or processes over one database. */
export const freshDatabase = Effect.fn("freshDatabase")(function* (name: string) {
  return yield* emptyDatabase(name, { template: yield* template })
})

/** A pool over the database at this address, as one process of several has it. */
export const pool = (url: Redacted.Redacted, options: Database.PoolOptions = {}) =>
  Database.layer({ ...patience, ...options, url })

/**
 * A pool over a fresh database of this name, with the current schema. Each test file has its own. Bind it to a `const`
 * to share it between layers. The pool uses the real clock, even under `TestClock`.
 */
export const database = (name: string, options: Database.PoolOptions = {}) =>
  Layer.unwrap(Effect.map(freshDatabase(name), (url) => pool(url, options))).pipe(Layer.orDie)
