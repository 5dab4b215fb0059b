import { Console, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Statements that run at the same time. */
const CONCURRENCY = 2

/** Returns a number from 0 to 1 that depends on the seed, a row and a purpose. It is the same in every part and order. */
export const chanceOf = (seed: number) => (n: string, purpose: number) =>
  `((hashint8extended((${n})::bigint, ${seed * 1000 + purpose}) & 2147483647) / 2147483648.0::float8)`

/** Writes a UUIDv7 of a moment and a number in SQL. */
export const idAt = (moment: string, n: string) =>
  `(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || '70008000' ||
    lpad(to_hex((${n})::bigint), 12, '0'))::uuid`

/** Shows how many of all rows are made, in one line of a terminal. */
export const makeProgress = (all: number) => {
  const began = performance.now()
  let done = 0
  return (what: string, rows: number) =>
    Effect.sync(() => {
      done += rows
      if (!process.stderr.isTTY) return
      const share = Math.min(1, done / all)
      const bar = "█".repeat(Math.round(share * 30)).padEnd(30, "·")
      const left = ((performance.now() - began) / share - (performance.now() - began)) / 60_000
      const percent = `${Math.floor(share * 100)} %`
      process.stderr.write(`\r\u001b[K${bar} ${percent}, ${Math.ceil(left)} min left: ${what}`)
    })
}

export type Progress = ReturnType<typeof makeProgress>

/** Rows of a table that one statement makes from a range of numbers. */
export interface Bulk {
  readonly table: string
  /** Numbers from 1 on. */
  readonly count: number
  /** Numbers of one transaction. */
  readonly part: number
  /** The time that a row takes, as a multiple of the others. Default: 1. */
  readonly weight?: number
  readonly statement: (from: number, to: number) => string
  readonly parameters?: ReadonlyArray<unknown>
}

interface IndexRow {
  readonly drop: string
  readonly make: string
}

/** Takes the indexes and unique keys from tables, runs an effect, and makes them again: that is faster than to keep them. */
export const withoutIndexes = Effect.fnUntraced(function* <A, E, R>(
  tables: ReadonlyArray<string>,
  effect: Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const names = `(${tables.map((table) => `'${table}'::regclass`).join(", ")})`
  const indexes = yield* sql.unsafe<IndexRow>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
    from pg_constraint where contype = 'u' and conrelid in ${names}
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    from pg_index i where indrelid in ${names} and not exists (select from pg_constraint where conindid = i.indexrelid)`)
  for (const { drop } of indexes) yield* sql.unsafe(drop).unprepared
  const result = yield* effect
  const make = (text: string) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set local maintenance_work_mem = '512MB'`.unprepared
        yield* sql.unsafe(text).unprepared
      })
    )
  yield* Effect.forEach(indexes, ({ make: text }) => make(text), { concurrency: CONCURRENCY, discard: true })
  return result
})

/** Runs one statement without triggers and foreign keys: the rows are right by construction. */
export const quickly = Effect.fnUntraced(function* (text: string, parameters: ReadonlyArray<unknown> = []) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`.unprepared
      yield* sql`set local synchronous_commit = off`.unprepared
      yield* sql`set local work_mem = '256MB'`.unprepared
      yield* sql.unsafe(text, parameters).unprepared
    })
  )
})

/** Makes the rows in parts, two at the same time. */
export const fill = ({ count, parameters, part, statement, table, weight = 1 }: Bulk, progress: Progress) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(count / part) }, (_, n) => n * part),
    (before) => {
      const last = Math.min(before + part, count)
      const made = quickly(statement(before + 1, last), parameters)
      return Effect.tap(made, progress(table, weight * (last - before)))
    },
    { concurrency: CONCURRENCY, discard: true }
  )

/** Ends the line of the progress. */
export const endOfProgress = Effect.suspend(() => (process.stderr.isTTY ? Console.error("") : Effect.void))
