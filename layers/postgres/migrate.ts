import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgMigrator from "@effect/sql-pg/PgMigrator"
import { Effect, Metric, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as MigratorFileSystem from "effect/sql/MigratorFileSystem"
import { triggers } from "./triggers.ts"

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

/** The server is older than `OLDEST_MAJOR`. */
export class PostgresTooOld extends Schema.TaggedError<PostgresTooOld>()("PostgresTooOld", {
  version: Schema.String,
  message: Schema.String
}) {}

/** The database cannot hold all characters, or compare them. */
export class DatabaseNotUtf8 extends Schema.TaggedError<DatabaseNotUtf8>()("DatabaseNotUtf8", {
  encoding: Schema.String,
  message: Schema.String
}) {}

/** The tables and triggers that a database gets before a pool opens. */
export interface DatabaseSchema {
  /** The folder of the migrations. Each runs once. */
  readonly migrations: string
  /** Statements that create triggers and replace former ones. All run when one of them has changed. */
  readonly triggers: ReadonlyArray<string>
}

const ourSchema: DatabaseSchema = {
  // The migrations lie next to the sources and next to the build alike.
  migrations: fileURLToPath(new URL("../../migrations", import.meta.url)),
  triggers
}

/** The oldest PostgreSQL that the statements know. */
export const OLDEST_MAJOR = 15
const migrationsTable = "effect_sql_migrations"

/** Brings the schema of a database up to date, over a connection of its own without deadlines. */
export const migrate = (url: Redacted.Redacted, schema = ourSchema) =>
  Effect.gen(function* () {
    const client = yield* PgClient.make({
      url,
      applicationName: "pennypress migrations",
      maxConnections: 1,
      connectTimeout: "5 seconds"
    })
    yield* bringUpToDate(schema).pipe(
      Effect.provideService(PgClient.PgClient, client),
      Effect.provideService(SqlClient.SqlClient, client)
    )
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const schemaMigration = Metric.gauge("database_migration", {
  description: "The newest migration of the database when this process started"
})

const bringUpToDate = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  yield* assertServer
  const { code: codeMigration, database: databaseMigration } = yield* newestMigrations(schema)
  if (databaseMigration > codeMigration) {
    return yield* new DatabaseNewerThanCode({
      databaseMigration,
      codeMigration,
      message:
        `The database is at migration ${databaseMigration}, and this release knows none after ${codeMigration}. ` +
        `Start the release that made it, or a newer one. A database from before the first release cannot be upgraded: ` +
        `use an empty one.`
    })
  }
  yield* PgMigrator.run({ loader: loaderOf(schema), table: migrationsTable })
  yield* createTriggers(schema.triggers)
  yield* Metric.update(schemaMigration, codeMigration)
})

const assertServer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly version: string; readonly number: number; readonly encoding: string }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int4 as number,
      current_setting('server_encoding') as encoding
  `
  const { encoding = "unknown", number = 0, version = "unknown" } = row ?? {}
  if (number < OLDEST_MAJOR * 10_000) {
    return yield* new PostgresTooOld({
      version,
      message: `The database server is PostgreSQL ${version}; Pennypress needs ${OLDEST_MAJOR} or newer.`
    })
  }
  if (encoding !== "UTF8") {
    return yield* new DatabaseNotUtf8({
      encoding,
      message:
        `The database has the encoding ${encoding}, and Pennypress needs UTF8. Create another one with ` +
        `"create database … encoding 'UTF8' template template0".`
    })
  }
})

const loaderOf = (schema: DatabaseSchema) => MigratorFileSystem.fromFileSystem(schema.migrations)

/** Returns the newest migration of this release, and the newest that ran on this database; 0 for none. */
export const newestMigrations = Effect.fnUntraced(function* (schema: DatabaseSchema = ourSchema) {
  const sql = yield* SqlClient.SqlClient
  const code = Math.max(0, ...(yield* loaderOf(schema)).map(([id]) => id))
  const [table] = yield* sql<{ readonly there: boolean }>`
    select to_regclass(${migrationsTable}) is not null as there
  `
  if (table?.there !== true) return { code, database: 0 }
  const [row] = yield* sql<{ readonly newest: number }>`
    select coalesce(max(migration_id), 0) as newest from ${sql(migrationsTable)}
  `
  return { code, database: row?.newest ?? 0 }
})

/**
 * Creates the triggers, and replaces those of an earlier release. The comment of the migrator's table has a hash of the
 * statements that ran last: a start with the same ones takes no lock on any other table.
 */
const createTriggers = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const create = Effect.gen(function* () {
    yield* sql`lock table ${sql(migrationsTable)} in access exclusive mode`
    const [row] = yield* sql<{ readonly wanted: string; readonly made: string | null }>`
      select md5(${statements.join("\n")}) as wanted, obj_description(${migrationsTable}::regclass) as made
    `
    if (row === undefined || row.made === row.wanted) return
    for (const statement of statements) yield* sql.unsafe(statement).unprepared
    yield* sql.unsafe(`comment on table ${migrationsTable} is '${row.wanted}'`).unprepared
  })
  yield* sql.withTransaction(create)
})
