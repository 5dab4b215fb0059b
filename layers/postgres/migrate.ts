import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Metric, type Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { type DatabaseSchema, newestOf, tolerates } from "./migrations/DatabaseSchema.ts"
import { planOf, planOfNew } from "./migrations/plan.ts"
import { type MigrationProgress, runMigrations } from "./migrations/runMigrations.ts"
import { serverOptions } from "./serverOptions.ts"
import { triggers } from "./triggers.ts"

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

/** The tables and triggers of this release. */
export const ourSchema: DatabaseSchema = {
  // The migrations lie next to the sources and next to the build alike.
  migrations: fileURLToPath(new URL("../../migrations", import.meta.url)),
  triggers
}

/** Returns true if this release works with a database that a newer one migrated. */
export const toleratesNewer = tolerates(ourSchema)

/** Returns the newest migration of this release, and the newest that ran on this database; 0 for none. */
export const newestMigrations = newestOf(ourSchema)

/** The oldest PostgreSQL that the statements know. */
export const OLDEST_MAJOR = 15

/**
 * Opens the connection of migrations: one session, whose end releases its locks. It has no deadlines. The address is that of
 * the server itself or of a pooler in session mode. Each statement runs once, and needs no name that a pooler may lose.
 */
const migrationConnection = (url: Redacted.Redacted) =>
  Effect.flatMap(serverOptions(url), (server) =>
    PgClient.makeClient({
      ...server,
      applicationName: "pennypress migrations",
      prepare: false,
      connectTimeout: "5 seconds",
      keepAlive: "10 seconds"
    })
  )

interface MigrateOptions {
  readonly schema?: DatabaseSchema | undefined
  readonly progress?: MigrationProgress | undefined
}

/** Brings the schema of a database up to date, while other processes read and write. */
export const migrate = (
  url: Redacted.Redacted,
  { progress = () => Effect.void, schema = ourSchema }: MigrateOptions = {}
) =>
  Effect.gen(function* () {
    const client = yield* migrationConnection(url)
    yield* bringUpToDate(schema, progress).pipe(Effect.provideService(SqlClient.SqlClient, client))
  }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, Reactivity.layer]))

/** Returns what `migrate` would do to a database, or to the one that it would make without an address. Changes nothing. */
export const planMigrations = (url: Redacted.Redacted | undefined, schema = ourSchema) =>
  Effect.gen(function* () {
    if (url === undefined) return yield* planOfNew(schema)
    const client = yield* migrationConnection(url)
    return yield* Effect.provideService(planOf(schema), SqlClient.SqlClient, client)
  }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, Reactivity.layer]))

const schemaMigration = Metric.gauge("database_migration", {
  description: "The newest migration of the database when this process started"
})

const bringUpToDate = Effect.fnUntraced(function* (schema: DatabaseSchema, progress: MigrationProgress) {
  yield* assertServer
  yield* runMigrations(schema, progress)
  yield* Metric.update(schemaMigration, (yield* newestOf(schema)).database)
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
