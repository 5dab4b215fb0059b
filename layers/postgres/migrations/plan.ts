import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { analyzed, type AnalyzedMigration } from "./analyzed.ts"
import { allTriggers, missingTriggers } from "./createTriggers.ts"
import { type DatabaseSchema, newestRun } from "./DatabaseSchema.ts"
import { WAITING } from "./Lock.ts"
import { migrationsAfter } from "./Migration.ts"

interface Relation {
  readonly name: string
  /** The table of an index, else the relation itself. */
  readonly table: string
  /** PostgreSQL's estimate; null if it has none yet. */
  readonly rows: number | null
}

/** A lock on a relation of the database. */
export interface PlannedLock {
  readonly relation: string
  readonly mode: string
  readonly waiting: "nothing" | "writes" | "reads and writes"
  /** The work of PostgreSQL while it has the lock; null if it takes a moment. */
  readonly work: string | null
  readonly rows: number | null
}

export interface PlannedMigration {
  readonly name: string
  readonly inTransaction: boolean
  readonly statements: ReadonlyArray<{
    readonly statement: string
    /** Null for a kind of statement whose locks are not known. */
    readonly locks: ReadonlyArray<PlannedLock> | null
  }>
}

export interface Plan {
  readonly state: "current" | "pending" | "newer"
  readonly databaseMigration: number
  readonly codeMigration: number
  readonly migrations: ReadonlyArray<PlannedMigration>
}

/** Returns the text without its indentation. */
const flush = (text: string) => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const indents = lines.slice(lines[0]?.startsWith(" ") === true ? 0 : 1).map((line) => line.search(/\S/))
  const indent = Math.min(...indents)
  return lines.map((line) => line.slice(Math.min(indent, line.search(/\S/)))).join("\n")
}

/** The locks that matter here: those on relations that the database has. */
const planned =
  (relations: ReadonlyMap<string, Relation>) =>
  ({ isOutsideTransaction, statements, title }: AnalyzedMigration): PlannedMigration => ({
    name: title,
    inTransaction: !isOutsideTransaction,
    statements: statements.map(({ locks, text }) => ({
      statement: flush(text),
      locks:
        locks?.flatMap(({ mode, relation, work }) => {
          const known = relations.get(relation)
          return known === undefined
            ? []
            : [{ relation: known.table, mode, waiting: WAITING[mode], work, rows: known.rows }]
        }) ?? null
    }))
  })

const relationsOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<Relation>`
    select c.relname as name, t.relname as table,
      case when t.relkind in ('r', 'm') and t.reltuples >= 0 then t.reltuples::float8 end as rows
    from pg_class c left join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
    where pg_table_is_visible(c.oid) and c.relnamespace <> 'pg_catalog'::regnamespace`
  return new Map(found.map((relation) => [relation.name, relation]))
})

/** A database as far as a plan needs it. */
interface State {
  /** The newest migration that ran on it; 0 for none. */
  readonly newest: number
  readonly relations: ReadonlyMap<string, Relation>
  readonly triggers: Effect.Success<ReturnType<typeof missingTriggers>>
}

/** Reads what a plan needs, in a transaction in which PostgreSQL refuses a change. */
const stateOf = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  const sql = yield* SqlClient.SqlClient
  const reading = Effect.gen(function* () {
    yield* sql`set transaction read only`.unprepared
    const triggers = yield* missingTriggers(schema)
    return { newest: yield* newestRun, relations: yield* relationsOf, triggers } satisfies State
  })
  return yield* sql.withTransaction(reading)
})

const planFor = Effect.fnUntraced(function* (schema: DatabaseSchema, { newest, relations, triggers }: State) {
  const all = yield* migrationsAfter(0, schema)
  const numbers = { databaseMigration: newest, codeMigration: all.at(-1)?.id ?? 0 }
  if (newest > numbers.codeMigration) return { ...numbers, state: "newer", migrations: [] } satisfies Plan
  const pending = (yield* analyzed(all)).filter((_, index) => (all[index]?.id ?? 0) > newest)
  const triggered = yield* analyzed(
    triggers.map(({ statements }) => ({ id: 0, name: "triggers", run: Effect.void, statements }))
  )
  const plannedHere = planned(relations)
  const migrations = [
    ...pending.map(plannedHere),
    ...triggered.map((it) => Object.assign(plannedHere(it), { name: "triggers" }))
  ]
  return { ...numbers, state: migrations.length === 0 ? "current" : "pending", migrations } satisfies Plan
})

/** Returns what `migrate` would do to this database. Changes nothing. */
export const planOf = (schema: DatabaseSchema) =>
  Effect.flatMap(stateOf(schema), (state) => planFor(schema, state))

/** Returns what `migrate` would do to an empty database that is not there yet. */
export const planOfNew = (schema: DatabaseSchema) =>
  planFor(schema, { newest: 0, relations: new Map(), triggers: allTriggers(schema) })
