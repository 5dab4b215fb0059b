import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { auditOf, type Audited, type CountedRows } from "./audit.sql.ts"

/** A sum of changes to one counter of one subject. */
interface CounterChange {
  readonly counter: string
  readonly subject_id: string
  readonly amount: number
}

/** The counters that one table shows. */
export interface CounterTable {
  readonly table: string
  /** Names of the counters, as writes append them to `counter_changes`. */
  readonly counters: ReadonlyArray<string>
  /**
   * Adds changes, in the transaction that takes them. Changes of a subject without a row are dropped. Returns the tags
   * of public answers that show these counters, or the rows behind them: even changes with a sum of zero changed those
   * rows.
   */
  readonly add: (changes: ReadonlyArray<CounterChange>) => Effect.Effect<ReadonlyArray<string>>
  /**
   * Compares the counters of some subjects after this one with the rows that they count, and appends the missing
   * changes.
   */
  readonly audit: (rows: CountedRows, after: string, limit: number) => Effect.Effect<Audited>
}

interface CounterColumns {
  readonly table: string
  /** The column with the id of the subject. */
  readonly id: string
  /** Columns, each with the name of its counter. */
  readonly columns: Readonly<Record<string, string>>
  readonly tags: (changes: ReadonlyArray<CounterChange>) => ReadonlyArray<string>
}

/** Describes a table with a column for each counter. The feature that owns the table calls it. */
export const counterTable = (
  sql: SqlClient.SqlClient,
  { columns, id, table, tags }: CounterColumns
): CounterTable => {
  const named = Object.entries(columns)
  const sums = sql.csv(
    named.map(
      ([column, counter]) =>
        sql`coalesce(sum(amount) filter (where counter = ${counter}), 0)::integer as ${sql(column)}`
    )
  )
  const assignments = sql.csv(
    named.map(([column]) => sql`${sql(column)} = ${sql(table)}.${sql(column)} + added.${sql(column)}`)
  )
  return {
    table,
    counters: Object.values(columns),
    // Rows are locked in the order of their ids, so that features that lock several rows in this order never wait for
    // each other.
    add: (changes) =>
      sql`
        with added as (
          select subject_id, ${sums}
          from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as change(counter text, subject_id uuid, amount integer)
          group by subject_id
        ), locked as (
          select ${sql(id)} as id from ${sql(table)}
          where ${sql(id)} in (select subject_id from added) order by ${sql(id)} for no key update
        )
        update ${sql(table)} set ${assignments}
        from added join locked on locked.id = added.subject_id
        where ${sql(table)}.${sql(id)} = locked.id`.pipe(Effect.orDie, Effect.as(tags(changes))),
    audit: auditOf(sql, { table, id, columns })
  }
}
