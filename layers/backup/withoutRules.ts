import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Progress } from "./backup.ts"
import type { Columns } from "./tables.ts"

/** Memory in which PostgreSQL makes one index. */
const INDEX_MEMORY = "256MB"

interface Rule {
  readonly name: string
  readonly drop: string
  readonly make: string
}

/** Returns the foreign keys of tables, then their other keys and their indexes. */
const rulesOf = Effect.fnUntraced(function* (tables: ReadonlyArray<Columns>) {
  const sql = yield* SqlClient.SqlClient
  const names = tables.map(({ name }) => name)
  return yield* sql<Rule>`
    select name, drop, make from (
      select contype <> 'f' as is_last, conname as name,
        format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
        format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
      from pg_constraint where contype in ('f', 'p', 'u', 'x') and conrelid = any(${names}::regclass[])
      union all
      select true, indexrelid::regclass::text, format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
      from pg_index where indrelid = any(${names}::regclass[])
        and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))) rules
    order by is_last, name`
})

/**
 * Fills tables in any order, without what would slow each row down: takes their keys and indexes away, and puts them back
 * afterwards. It belongs in a transaction.
 */
export const withoutRules = Effect.fnUntraced(function* <A, E, R>(
  tables: ReadonlyArray<Columns>,
  fill: Effect.Effect<A, E, R>,
  progress: Progress
) {
  const sql = yield* SqlClient.SqlClient
  const rules = yield* rulesOf(tables)
  for (const { drop } of rules) yield* sql.unsafe(drop).unprepared
  const filled = yield* fill
  yield* sql`set local maintenance_work_mem = ${sql.literal(`'${INDEX_MEMORY}'`)}`.unprepared
  for (const [done, { make, name }] of rules.toReversed().entries()) {
    yield* progress(`making ${name}`, done, rules.length)
    yield* sql.unsafe(make).unprepared
  }
  yield* continueSequences
  return filled
})

/** Lets numbers of new rows go on after those of the restored ones. */
const continueSequences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly table_name: string; readonly name: string }>`
    select table_name, column_name as name from information_schema.columns
    where table_schema = 'public' and is_identity = 'YES'`
  for (const { name, table_name } of columns)
    yield* sql`select setval(pg_get_serial_sequence(${table_name}, ${name}), greatest(1, (select max(${sql(name)}) from ${sql(table_name)})),
      exists (select from ${sql(table_name)}))`.unprepared
})
