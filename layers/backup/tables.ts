import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The table of the migrator, which a restored database has already. */
const LEFT_OUT = ["effect_sql_migrations"]

/** A table with its columns. */
export interface Columns {
  readonly name: string
  /** Columns that are stored and not computed, in their order. */
  readonly columns: ReadonlyArray<string>
  /** The type of each. */
  readonly types: ReadonlyArray<string>
}

/** Returns the tables of the service, with the columns that a backup has. What lasts a day is unlogged, and in no backup. */
export const tablesOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Columns>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) as types
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and c.relname <> all(${LEFT_OUT}::text[])
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
