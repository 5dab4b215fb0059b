import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createTriggers, missingTriggers } from "./createTriggers.ts"
import { type DatabaseSchema, MIGRATIONS_TABLE, newestOf, tolerates } from "./DatabaseSchema.ts"
import {
  concurrentIndexOf,
  failed,
  isOutsideTransaction,
  type Migration,
  migrationsAfter,
  titleOf
} from "./Migration.ts"
import { again, assertMigrating, MIGRATING, patiently } from "./patiently.ts"

/** A newer release changed the database's schema: an old release started again after an upgrade. */
export class DatabaseNewerThanCode extends Schema.TaggedError<DatabaseNewerThanCode>()(
  "DatabaseNewerThanCode",
  {
    /** The newest migration that ran on the database. */
    databaseMigration: Schema.Int,
    /** The newest migration this code knows; 0 for none. */
    codeMigration: Schema.Int,
    message: Schema.String
  }
) {}

/** Tells a person which migration runs, and how many there are. */
export type MigrationProgress = (title: string, number: number, count: number) => Effect.Effect<void>

/** Time between two looks of a process that waits for another one. */
const LOOK_MILLIS = 200
/** Looks between two lines in the log. */
const LOOKS_PER_LINE = 50
/** Time between two lines in the log about one migration. */
const LONG = "10 seconds"

/**
 * Runs what is pending, each migration in a transaction of its own with the row that says so. A process that ends in
 * between leaves the rest to the next one. Processes that start together wait for the one that migrates. They ask for its
 * lock again and again: a statement that waits would have a snapshot, and an index that is built `concurrently` waits
 * for older snapshots.
 */
export const runMigrations = Effect.fn("runMigrations")(function* (
  schema: DatabaseSchema,
  progress: MigrationProgress
) {
  const sql = yield* SqlClient.SqlClient
  const lock = sql<{ readonly locked: boolean }>`select pg_try_advisory_lock(${MIGRATING}::bigint) as locked`
  const unlock = Effect.ignore(sql`select pg_advisory_unlock(${MIGRATING}::bigint)`)
  for (let looks = 0; (yield* isPending(schema)) === true; looks += 1) {
    const [row] = yield* lock
    if (row?.locked === true) {
      yield* Effect.ensuring(runPending(schema, progress), unlock)
      return
    }
    if (looks % LOOKS_PER_LINE === 0)
      yield* Effect.logInfo("Waiting for another process that is migrating the database")
    yield* Effect.sleep(LOOK_MILLIS)
  }
})

/** Returns the newest migration of the database. Fails if this release does not work with it. */
const knownMigration = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  const { code, database } = yield* newestOf(schema)
  if (database <= code || (yield* tolerates(schema))) return { code, database }
  return yield* new DatabaseNewerThanCode({
    databaseMigration: database,
    codeMigration: code,
    message:
      `The database is at migration ${database}, and this release knows none after ${code} and does not work with it. ` +
      `Start the release that made it, or a newer one. A database from before the first release cannot be upgraded: ` +
      `use an empty one.`
  })
})

/** Most starts find nothing to do, and take no lock. */
const isPending = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  const { code, database } = yield* knownMigration(schema)
  if (database > code) {
    // The triggers of the newer release stay, too.
    yield* Effect.logInfo(
      `The database is at migration ${database} of a newer release, which is compatible with this one`
    )
    return false
  }
  return database < code || (yield* missingTriggers(schema)).length > 0
})

const runPending = Effect.fnUntraced(function* (schema: DatabaseSchema, progress: MigrationProgress) {
  const sql = yield* SqlClient.SqlClient
  const { database } = yield* knownMigration(schema)
  yield* sql`create table if not exists ${sql(MIGRATIONS_TABLE)} (
    migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
    .unprepared
  const pending = yield* migrationsAfter(database, schema)
  for (const [index, migration] of pending.entries()) {
    yield* progress(titleOf(migration), index + 1, pending.length)
    const began = yield* DateTime.now
    yield* told(migration, isOutsideTransaction(migration) ? runOutside(migration) : runInside(migration))
    const took = Duration.toMillis(DateTime.distance(began, yield* DateTime.now))
    const line = `Migration ${titleOf(migration)} is done after ${took} ms`
    // The first start of a database is not an upgrade.
    yield* database === 0 ? Effect.logDebug(line) : Effect.logInfo(line)
  }
  yield* createTriggers(yield* missingTriggers(schema), schema)
})

/** Writes a line now and then, as long as a migration runs. */
const told = <A, E, R>(migration: Migration, run: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    run,
    Effect.forever(Effect.delay(Effect.logInfo(`Migration ${titleOf(migration)} is still running`), LONG))
  )

const run = (migration: Migration) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.mapError(migration.run, failed(migration, "failed"))
    yield* sql`insert into ${sql(MIGRATIONS_TABLE)} ${sql.insert({ migration_id: migration.id, name: migration.name })}`
  })

const runInside = (migration: Migration) =>
  patiently(`Migration ${titleOf(migration)}`, migration.statements, run(migration))

/**
 * Runs a migration that PostgreSQL refuses in a transaction. It waits for all older transactions, and no request waits
 * for it. A run that was cut off leaves an index that is not valid, so that one is dropped first.
 */
const runOutside = (migration: Migration) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* assertMigrating
    yield* sql`select set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false),
      set_config('client_connection_check_interval', '1s', false)`
    for (const statement of migration.statements) yield* dropInvalid(concurrentIndexOf(statement) ?? "")
    yield* run(migration)
  }).pipe(again(`Migration ${titleOf(migration)}`, migration.statements))

const dropInvalid = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const left = yield* sql`
    select from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relname = ${name} and pg_table_is_visible(c.oid) and not i.indisvalid`
  if (left.length > 0) yield* sql`drop index concurrently if exists ${sql(name)}`.unprepared
})
