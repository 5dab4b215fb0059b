import { Effect, type Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import { migrate } from "../postgres/migrate.ts"
import { type DatabaseSchema, MIGRATIONS_TABLE, newestRun } from "../postgres/migrations/DatabaseSchema.ts"
import { migrationsAfter } from "../postgres/migrations/Migration.ts"
import type { Progress } from "./backup.ts"
import { BackupDamaged, openFile, refused, unzipped } from "./files.ts"
import type { Manifest, Table } from "./Manifest.ts"
import { type Columns, insert, tablesOf } from "./tables.ts"
import { withoutRules } from "./withoutRules.ts"

/** Returns true for a database with accounts. */
export const isUsed = Effect.gen(function* () {
  if ((yield* newestRun) === 0) return false
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly used: boolean }>`select exists (select from owners) as used`.unprepared
  return row?.used === true
})

/** Lines that one statement writes, and their characters, at most. */
const LINES = 1_000
const CHARACTERS = 1_000_000

/** Puts the lines of statements together. A longer line is alone. */
const batches = Stream.mapAccum(
  () => ({ lines: new Array<string>(), characters: 0 }),
  (batch, line: string) => {
    const isFull = batch.lines.length === LINES || batch.characters + line.length > CHARACTERS
    const next = isFull ? { lines: [], characters: 0 } : batch
    next.lines.push(line)
    next.characters += line.length
    return [next, isFull && batch.lines.length > 0 ? [batch.lines] : []] as const
  },
  { onHalt: ({ lines }) => (lines.length > 0 ? [lines] : []) }
)

const filled = Effect.fnUntraced(function* (
  place: ObjectStorage["Service"],
  { file, rows }: Table,
  table: Columns,
  progress: Progress
) {
  const sql = yield* SqlClient.SqlClient
  let done = 0
  const write = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
    yield* insert(sql, table, lines)
    done += lines.length
    yield* progress(table.name, done, rows)
  })
  // The next lines are read while PostgreSQL takes these in.
  const read = Stream.buffer(batches(unzipped(openFile(file))), { capacity: 1 })
  yield* Effect.provideService(Stream.runForEach(read, write), ObjectStorage, place)
  if (done !== rows)
    return yield* new BackupDamaged({
      message: `${file.key} has ${done} rows, and the manifest says ${rows}`
    })
})

/** Returns each table of a manifest with its columns here. A database of the same migration has all tables and no others. */
const fillsOf = Effect.fnUntraced(function* ({ migration, release, tables }: Manifest) {
  const byName = new Map((yield* tablesOf).map((table) => [table.name, table]))
  const fills: Array<readonly [Table, Columns]> = []
  for (const table of tables) {
    const found = byName.get(table.name)
    if (found === undefined)
      return yield* refused(
        `The backup of release ${release} has the table ${table.name}, which migration ${migration} of this release does not create. Restore it with the release that made it.`
      )
    fills.push([table, found])
    byName.delete(table.name)
  }
  for (const name of byName.keys())
    return yield* refused(`The manifest of the backup does not list the table ${name}: it was altered.`)
  return fills
})

const CREATE =
  /^\s*create\s+(?:or\s+replace\s+|unlogged\s+)?(table|view|function|text search (?:configuration|dictionary))\s+(?:if\s+not\s+exists\s+)?"?(\w+)/i

/**
 * Takes away what the migrations made in a database without accounts. It may be of a later migration than the backup, as
 * after the first start of a later release.
 */
const undoMigrations = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  const sql = yield* SqlClient.SqlClient
  if ((yield* newestRun) === 0) return
  const drops = (yield* migrationsAfter(0, schema))
    .flatMap(({ statements }) => statements)
    .flatMap((statement) => {
      const [, kind, name] = CREATE.exec(statement) ?? []
      return name === undefined ? [] : [`drop ${kind} if exists ${name} cascade`]
    })
  const undo = Effect.forEach(
    [...drops.toReversed(), `drop table ${MIGRATIONS_TABLE}`],
    (drop) => sql.unsafe(drop).unprepared,
    { discard: true }
  )
  yield* sql.withTransaction(undo)
})

/** Fills the tables of a new database. */
const fillTables = Effect.fnUntraced(function* (
  place: ObjectStorage["Service"],
  manifest: Manifest,
  progress: Progress
) {
  const sql = yield* SqlClient.SqlClient
  const fills = yield* fillsOf(manifest)
  const own = fills.map(([, columns]) => columns)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // The migrations have filled some tables, such as that of categories.
      yield* sql`truncate ${sql.csv(own.map(({ name }) => sql`${sql(name)}`))}`.unprepared
      yield* withoutRules(
        own,
        Effect.forEach(fills, ([table, columns]) => filled(place, table, columns, progress), {
          discard: true
        }),
        progress
      )
    })
  )
})

/** Collects statistics, without which the first requests would have slow plans. */
const analyze = Effect.fnUntraced(function* (progress: Progress) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* tablesOf
  yield* progress("collecting statistics", 0, tables.length)
  yield* sql`vacuum analyze ${sql.csv(tables.map(({ name }) => sql`${sql(name)}`))}`.unprepared
})

export interface DatabaseOptions {
  /** The server of the database, without a pooler between. */
  readonly url: Redacted.Redacted
  readonly progress: Progress
  /** The tables and triggers that the database has in the end. */
  readonly schema: DatabaseSchema
}

/**
 * Makes the tables as they were at the time of the backup, fills them with all rows or none, and runs the later migrations.
 * Without the rows, the database is an empty one of this release.
 */
export const restoreDatabase = Effect.fnUntraced(function* (
  place: ObjectStorage["Service"],
  manifest: Manifest,
  { progress, schema, url }: DatabaseOptions
) {
  const fill = Effect.gen(function* () {
    yield* undoMigrations(schema)
    yield* migrate(url, { schema: { ...schema, until: manifest.migration, triggers: [] } })
    yield* fillTables(place, manifest, progress)
  })
  yield* Effect.onError(fill, () => Effect.ignore(migrate(url, { schema })))
  yield* migrate(url, { schema, progress: (title, done, all) => progress(`migration ${title}`, done, all) })
  yield* analyze(progress)
})
