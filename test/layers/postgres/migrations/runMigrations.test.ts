import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { migrate } from "../../../../layers/postgres/migrate.ts"
import { assertMigrating, MIGRATING } from "../../../../layers/postgres/migrations/patiently.ts"
import { onRealClock } from "../../../../layers/time/realClock.ts"
import { emptyDatabase, freshDatabase } from "../../../support/Database.ts"
import { eventually } from "../../../support/eventually.ts"
import { migration, schemaOf } from "../../../support/migrations.ts"

/** A session of another program. */
const session = (url: Redacted.Redacted) => PgClient.makeClient({ url, applicationName: "a long report" })

/** Runs a test on the real clock, as a database keeps. */
const live = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(Effect.provide(Reactivity.layer), onRealClock)

/** Keeps lines of the log. `next` waits for one that has this text. */
const log = () => {
  const lines: Array<string> = []
  const layer = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
  const next = (text: string) =>
    eventually(
      text,
      Effect.sync(() => lines.some((line) => line.includes(text)))
    )
  return { layer, lines, next }
}

/** Holds a transaction with this statement open while the effect runs. */
const holding =
  (url: Redacted.Redacted, statement: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const other = yield* session(url)
      return yield* other.withTransaction(Effect.andThen(other.unsafe(statement), effect))
    })

const ran = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly migration_id: number }>`select migration_id from effect_sql_migrations order by 1`,
    (rows) => rows.map((row) => row.migration_id)
  )

const things = {
  "0001_things.js": migration(
    "create table things (id int, size int)",
    "insert into things values (1, 1), (2, 1)"
  )
}
const sized = { ...things, "0002_sized.js": migration("alter table things add column weight int") }
const indexed = {
  ...things,
  "0002_indexed.js": migration("create unique index concurrently if not exists things_size on things (size)")
}

describe("runMigrations", () => {
  it.effect("A migration that waits for a lock does not hold up reads", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_waiting")
      yield* migrate(url, { schema: yield* schemaOf(things) })
      const schema = yield* schemaOf(sized)
      const { layer, lines, next } = log()
      const reader = yield* session(url)
      yield* reader`set statement_timeout = '2s'`
      const fiber = yield* Effect.gen(function* () {
        const migrating = yield* Effect.forkChild(Effect.provide(migrate(url, { schema }), layer))
        yield* next("Migration 0002_sized waits for a transaction")
        // The statement waits for its lock again and again meanwhile.
        while (lines.length < 3) yield* reader`select from things`
        assert.deepStrictEqual(yield* ran(reader), [1])
        return migrating
      }).pipe(holding(url, "select from things"))
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* ran(reader), [1, 2])
      const [line = ""] = lines
      assert.match(
        line,
        /open for \d+ s: pid \d+, \\"a long report\\", idle in transaction\. It will try again. Requests are not held up/
      )
    }).pipe(live)
  )

  it.effect("An index that is built concurrently waits for no process that waits for it", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_together")
      const schema = yield* schemaOf({
        ...things,
        "0002_indexed.js": migration("create index concurrently if not exists things_size on things (size)")
      })
      const { layer, next } = log()
      const all = yield* Effect.gen(function* () {
        const four = Array.from({ length: 4 }, () => Effect.provide(migrate(url, { schema }), layer))
        const fiber = yield* Effect.forkChild(Effect.all(four, { concurrency: "unbounded" }))
        yield* next("Waiting for another process that is migrating the database")
        return fiber
      }).pipe(holding(url, `select pg_advisory_xact_lock(${MIGRATING})`))
      yield* Fiber.join(all)
      const sql = yield* session(url)
      assert.deepStrictEqual(yield* ran(sql), [1, 2])
      assert.deepStrictEqual(
        yield* sql`select indisvalid as valid from pg_index where indexrelid = 'things_size'::regclass`,
        [{ valid: true }]
      )
    }).pipe(live)
  )

  it.effect("An index that was left invalid is built again", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_invalid")
      const schema = yield* schemaOf(indexed)
      const error = yield* Effect.flip(migrate(url, { schema }))
      assert.strictEqual(error.message, "Migration 0002_indexed failed")
      const sql = yield* session(url)
      const validity = sql`select indisvalid as valid from pg_index where indexrelid = 'things_size'::regclass`
      assert.deepStrictEqual(yield* validity, [{ valid: false }])
      yield* sql`delete from things where id = 2`
      yield* migrate(url, { schema })
      assert.deepStrictEqual(yield* validity, [{ valid: true }])
      assert.deepStrictEqual(yield* ran(sql), [1, 2])
    }).pipe(live)
  )

  it.effect("An index that was built before its row was written is kept", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_built")
      yield* migrate(url, { schema: yield* schemaOf(things) })
      const sql = yield* session(url)
      yield* sql`delete from things where id = 2`
      yield* sql`create unique index things_size on things (size)`
      const oid = sql`select 'things_size'::regclass::oid`
      const before = yield* oid
      yield* migrate(url, { schema: yield* schemaOf(indexed) })
      assert.deepStrictEqual(yield* oid, before)
      assert.deepStrictEqual(yield* ran(sql), [1, 2])
    }).pipe(live)
  )

  it.effect("A process whose session ends in a migration leaves the lock and the rest to the next one", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_killed")
      const three = { "0003_more.js": migration("create table more (id int)") }
      const endless = yield* schemaOf({
        ...things,
        ...three,
        "0002_sized.js": migration("alter table things add column weight int", "select pg_sleep(600)")
      })
      const fiber = yield* Effect.forkChild(migrate(url, { schema: endless }))
      const sql = yield* session(url)
      const asleep = sql`select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
      yield* eventually(
        "the long statement",
        Effect.map(asleep, (rows) => rows.length > 0)
      )
      const second = yield* Effect.forkChild(
        migrate(url, { schema: yield* schemaOf({ ...sized, ...three }) })
      )
      yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'`
      assert.isTrue((yield* Fiber.await(fiber))._tag === "Failure")
      yield* Fiber.join(second)
      assert.deepStrictEqual(yield* ran(sql), [1, 2, 3])
      assert.isEmpty(
        yield* sql`select from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`
      )
    }).pipe(live)
  )

  it.effect("A start without pending migrations waits for no lock", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_migrations_current")
      yield* migrate(url).pipe(holding(url, `select pg_advisory_xact_lock(${MIGRATING})`))
    }).pipe(live)
  )

  it.effect("Statements that reach another session than that of the lock run no migration", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_pooler")
      const sql = yield* session(url)
      const error = yield* assertMigrating.pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        holding(url, `select pg_advisory_xact_lock(${MIGRATING})`),
        Effect.flip
      )
      assert.strictEqual(error._tag, "MigrationLockLost")
    }).pipe(live)
  )

  it.effect("A change of one trigger leaves those of other features, and holds up no write", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_triggers")
      const files = { "0001_tables.js": migration("create table one (id int)", "create table two (id int)") }
      const making = (table: string, value: number) => [
        `create or replace function make_${table}() returns trigger language plpgsql as $$
          begin new.id := ${value}; return new; end $$`,
        `create or replace trigger make before insert on ${table} for each row execute function make_${table}()`
      ]
      yield* migrate(url, { schema: yield* schemaOf(files, [making("one", 1), making("two", 1)]) })
      const sql = yield* session(url)
      yield* sql`set lock_timeout = '2s'`
      const versions = sql`select xmin::text from pg_trigger where tgname = 'make' order by tgrelid`
      const before = yield* versions
      const schema = yield* schemaOf(files, [making("one", 1), making("two", 2)])
      const { layer, lines, next } = log()
      const fiber = yield* Effect.gen(function* () {
        const migrating = yield* Effect.forkChild(Effect.provide(migrate(url, { schema }), layer))
        yield* next("A change of triggers waits for a transaction")
        while (lines.length < 3) yield* sql`insert into two values (3)`
        return migrating
      }).pipe(holding(url, "insert into two values (3)"))
      yield* Fiber.join(fiber)
      const after = yield* versions
      assert.deepStrictEqual(after[0], before[0])
      assert.notDeepEqual(after[1], before[1])
      assert.deepStrictEqual(yield* sql`insert into two values (3) returning id`, [{ id: 2 }])
    }).pipe(live)
  )

  it.effect("A person sees which of the pending migrations runs", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_progress")
      const seen: Array<string> = []
      const progress = (title: string, number: number, count: number) =>
        Effect.sync(() => void seen.push(`${title} ${number}/${count}`))
      yield* migrate(url, { schema: yield* schemaOf(things) })
      yield* migrate(url, {
        schema: yield* schemaOf({ ...sized, "0010_more.js": migration("create table more (id int)") }),
        progress
      })
      assert.deepStrictEqual(seen, ["0002_sized 1/2", "0010_more 2/2"])
    }).pipe(live)
  )
})
