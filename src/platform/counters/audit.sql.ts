import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** The SQL that counts the rows of a counter, by its name. The subject is the row `s` of the table with the counter. */
export type CountedRows = Readonly<Record<string, string>>

/** A counter that did not equal its rows, and the change that it lacked. */
interface Difference {
  readonly counter: string
  readonly subject_id: string
  readonly amount: number
}

/** Subjects that were compared. */
export interface Audited {
  readonly differences: ReadonlyArray<Difference>
  /** The last subject; null when no other follows. */
  readonly last: string | null
}

/** A difference, with the last subject that was compared. Without differences, one row has only the last subject. */
type WithLast<Row> = Row & { readonly last: string | null }

/** Approximate number of rows that one comparison counts. A subject with more is compared alone. */
const ROWS_MAX = 100_000

interface AuditedTable {
  readonly table: string
  readonly id: string
  readonly columns: Readonly<Record<string, string>>
}

/**
 * Compares in one statement, and so in one snapshot. A write appends its change in the transaction of its rows, and the
 * worker adds changes in the transaction that takes them. So in every snapshot the number of rows equals the sum of the
 * counter and the waiting changes, however many writes go on meanwhile.
 */
export const auditOf = (sql: SqlClient.SqlClient, { columns, id, table }: AuditedTable) => {
  const stored = Object.keys(columns)
  const total = sql.literal(stored.map((column) => `"${column}"`).join(" + "))

  return (rows: CountedRows, after: string, limit: number): Effect.Effect<Audited> => {
    const counters = Object.entries(columns).flatMap(([column, counter]) =>
      rows[counter] === undefined ? [] : [{ column, counter, count: rows[counter] }]
    )
    if (counters.length === 0) return Effect.succeed({ differences: [], last: null })
    const values = sql.csv(
      counters.map(
        ({ column, count, counter }) =>
          sql`(${counter}::text, s.${sql(column)}, (${sql.literal(count)})::integer)`
      )
    )
    return sql<WithLast<Difference> | WithLast<{ readonly counter: null }>>`
      with next as (
        select *, ${sql(id)} as subject_id, row_number() over following as place,
          sum(${total}) over following - (${total}) as rows_before
        from (select * from ${sql(table)} where ${sql(id)} > ${after}::uuid order by ${sql(id)} limit ${limit + 1}) t
        window following as (order by ${sql(id)})
      ), slice as (
        select * from next where place <= ${limit} and rows_before <= ${ROWS_MAX}
      ), difference as (
        select s.subject_id, c.counter, c.counted - c.stored - coalesce(waiting.amount, 0)::integer as amount
        from slice s
        cross join lateral (values ${values}) c (counter, stored, counted)
        left join lateral (
          select sum(amount) as amount from counter_changes w
          where w.subject_id = s.subject_id and w.counter = c.counter) waiting on true
      ), repaired as (
        insert into counter_changes (counter, subject_id, amount)
        select counter, subject_id, amount from difference where amount <> 0
        returning counter, subject_id, amount
      )
      select last, repaired.*
      from (
        select case when count(*) < (select count(*) from next) then (array_agg(subject_id order by place desc))[1] end as last
        from slice) compared left join repaired on true`.pipe(
      Effect.map((found) => ({
        differences: found.filter((row) => row.counter !== null),
        last: found[0]?.last ?? null
      })),
      Effect.orDie
    )
  }
}
