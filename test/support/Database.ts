import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Database from "../../layers/postgres/Database.ts"
import { onRealClock } from "../../layers/time/realClock.ts"

/** Names the one who migrates, among the workers of a run. */
const templateLock = 7_266_001

/** The server of this run, by a database on it. */
export const urlOf = (database: string, server = process.env["TEST_DATABASE_URL"]) => {
  if (server === undefined)
    throw new Error("TEST_DATABASE_URL is missing: test/support/globalSetup.ts did not run")
  const url = new URL(server)
  url.pathname = `/${database}`
  return Redacted.make(url.toString())
}

/** What a use of `PgClient.make` needs: its connections end with it, and live on the real clock. */
const briefly = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  use.pipe(Effect.scoped, Effect.provide(Reactivity.layer), onRealClock)

/** An empty database of this name in place of any other. `options` are SQL, such as a template. */
export const emptyDatabase = Effect.fn("emptyDatabase")(function* (
  name: string,
  options?: { readonly template?: string; readonly server?: string }
) {
  const sql = yield* PgClient.make({ url: urlOf("postgres", options?.server), maxConnections: 1 })
  yield* sql`drop database if exists ${sql(name)} with (force)`.unprepared
  yield* sql`create database ${sql(name)} template ${sql(options?.template ?? "template1")}`.unprepared
  return urlOf(name, options?.server)
}, briefly)

const templateName = () => `pennypress_template_${process.env["TEST_RUN"]}`

/** Leaves nothing of the run on a server that outlives it. */
export const dropTemplate = Effect.gen(function* () {
  const name = templateName()
  const sql = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
  const there = yield* sql`select from pg_database where datname = ${name}`
  if (there.length === 0) return
  yield* sql`alter database ${sql(name)} is_template false`.unprepared
  yield* sql`drop database ${sql(name)} with (force)`.unprepared
}).pipe(briefly)

/** A migrated database that others are copied from: copying takes 30 ms. The first who needs it in a run makes it. */
const template = Effect.gen(function* () {
  const name = templateName()
  const lock = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
  const sql = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
  yield* lock.withTransaction(
    Effect.gen(function* () {
      yield* lock`select pg_advisory_xact_lock(${templateLock})`
      // Marked as a template last, so one that is half made does not count.
      const finished = yield* sql`select from pg_database where datname = ${name} and datistemplate`
      if (finished.length > 0) return
      const url = yield* emptyDatabase(name)
      yield* Effect.scoped(Layer.build(Database.layer({ url })))
      yield* sql`alter database ${sql(name)} is_template true`.unprepared
    })
  )
  return name
}).pipe(briefly)

/** A fresh database of this name with the current schema; for a second assembly or process over one database. */
export const freshDatabase = Effect.fn("freshDatabase")(function* (name: string) {
  return yield* emptyDatabase(name, { template: yield* template })
})

/**
 * A pool over a fresh database of this name, with the current schema. One per test file; bind it to a `const` where
 * several layers shall share it. The pool lives on the real clock, whatever clock the test has.
 */
export const database = (name: string, options: Database.PoolOptions = {}) =>
  Layer.unwrap(Effect.map(freshDatabase(name), (url) => Database.layer({ ...options, url }))).pipe(
    Layer.orDie
  )
