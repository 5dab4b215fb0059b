import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as MigratorFileSystem from "effect/sql/MigratorFileSystem"

/** The tables and triggers that a database gets before a pool opens. */
export interface DatabaseSchema {
  /** The folder of the migrations. Each runs once. */
  readonly migrations: string
  /** The number of the last migration that the database gets. Default: all of the folder. */
  readonly until?: number | undefined
  /** The triggers of each feature: statements that create them and replace former ones. */
  readonly triggers: ReadonlyArray<ReadonlyArray<string>>
}

/** The table with a row for each migration that ran. Its comment has the hashes of the triggers that were made. */
export const MIGRATIONS_TABLE = "effect_sql_migrations"

export const filesOf = ({ migrations, until = Infinity }: DatabaseSchema) =>
  Effect.map(MigratorFileSystem.fromFileSystem(migrations), (files) => files.filter(([id]) => id <= until))

/** Returns the newest migration that ran on this database; 0 for none. */
export const newestRun = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ readonly there: boolean }>`
    select to_regclass(${MIGRATIONS_TABLE}) is not null as there
  `
  if (table?.there !== true) return 0
  const [row] = yield* sql<{ readonly newest: number }>`
    select coalesce(max(migration_id), 0) as newest from ${sql(MIGRATIONS_TABLE)}
  `
  return row?.newest ?? 0
})

/** Returns the newest migration of a schema, and the newest that ran on this database; 0 for none. */
export const newestOf = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  const code = Math.max(0, ...(yield* filesOf(schema)).map(([id]) => id))
  return { code, database: yield* newestRun }
})

/** Begins the name of a migration that takes away something that the previous release may use. */
const CONTRACT = "contract_"

/**
 * Returns true if a release works with a database that a newer one migrated. All migrations of its own ran, and the later
 * ones took nothing away.
 */
export const tolerates = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  const sql = yield* SqlClient.SqlClient
  const own = (yield* filesOf(schema)).map(([id, name]) => `${id} ${name}`)
  const ran = yield* sql<{ readonly title: string; readonly takes_away: boolean }>`
    select migration_id || ' ' || name as title, starts_with(name, ${CONTRACT}) as takes_away
    from ${sql(MIGRATIONS_TABLE)} order by migration_id`
  const later = ran.slice(own.length)
  return own.every((title, at) => title === ran[at]?.title) && !later.some((it) => it.takes_away)
})
