import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The table of the migrator, which a restored database has already, and that of the processes, which a backup has not. */
const LEFT_OUT = ["effect_sql_migrations", "processes"]

/** A table with its columns. */
export interface Columns {
  readonly name: string
  /** Columns that are stored and not computed, in their order. */
  readonly columns: ReadonlyArray<string>
  /** The type of each. */
  readonly types: ReadonlyArray<string>
}

/** Returns the tables of the service, with the columns that a backup has. */
export const tablesOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Columns>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) as types
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> all(${LEFT_OUT}::text[])
      and a.attgenerated = ''
    group by c.relname order by c.relname`
})

/** Returns the rows of a table, each as one line of JSON. Every value is PostgreSQL's text of it, which loses nothing. */
export const linesOf = (sql: SqlClient.SqlClient, { columns, name }: Columns) =>
  sql<{ readonly line: string }>`
    select row_to_json(t)::text as line
    from (select ${sql.csv(columns.map((it) => sql`${sql(it)}::text as ${sql(it)}`))} from ${sql(name)}) t`
    .stream

/** Writes rows into a table, as `linesOf` read them. */
export const insert = (
  sql: SqlClient.SqlClient,
  { columns, name, types }: Columns,
  lines: ReadonlyArray<string>
) => {
  const values = columns.map((it, at) => sql`x.${sql(it)}::${sql.literal(types[at] ?? "text")}`)
  return sql`
    insert into ${sql(name)} (${sql.csv(columns.map((it) => sql`${sql(it)}`))}) overriding system value
    select ${sql.csv(values)} from json_to_recordset(${`[${lines.join(",")}]`}::text::json)
      as x (${sql.csv(columns.map((it) => sql`${sql(it)} text`))})`.unprepared
}

interface ForeignKey {
  readonly table_name: string
  readonly name: string
  readonly definition: string
}

/**
 * Fills tables in any order: takes the foreign keys and the triggers away, and puts them back afterwards. It belongs in a
 * transaction.
 */
export const withoutRules = <A, E, R>(tables: ReadonlyArray<Columns>, fill: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* sql<ForeignKey>`
      select conrelid::regclass::text as table_name, conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`
    for (const { name, table_name } of keys)
      yield* sql`alter table ${sql(table_name)} drop constraint ${sql(name)}`.unprepared
    for (const { name } of tables) yield* sql`alter table ${sql(name)} disable trigger user`.unprepared
    const filled = yield* fill
    for (const { name } of tables) yield* sql`alter table ${sql(name)} enable trigger user`.unprepared
    for (const { definition, name, table_name } of keys)
      yield* sql`alter table ${sql(table_name)} add constraint ${sql(name)} ${sql.literal(definition)}`
        .unprepared
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
