import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../sql/statements.ts"
import type { NextDue } from "../work/dueWork.ts"

/** The advisory locks of the process that adds changes now, and of the one that compares. */
const LOCK = 7_104_219
const AUDIT_LOCK = 7_104_221

/** Comes before every id. */
const BEGINNING = "00000000-0000-0000-0000-000000000000"

const PositionRow = Schema.Struct({ is_ours: Schema.Boolean, after_id: Schema.String })
const SumRow = Schema.Struct({
  counter: Schema.String,
  subject_id: Schema.String,
  amount: Schema.Int,
  taken: Schema.Int
})

/** Begins a statement that appends changes of counters, by triggers as by features: a name, a subject and an amount. */
export const appendCounterChanges = `insert into counter_changes (counter, subject_id, amount)`

/** The time when changes of these counters are due: long ago if some wait. */
export const changesDue =
  (counters: ReadonlyArray<string>): NextDue =>
  (sql) =>
    sql`(select to_timestamp(0) from counter_changes where ${sql.in("counter", counters)} limit 1)`

/** Statements over `counter_changes`, which wait to be added, and `counter_audits`, the places of comparisons. */
export const counterChangeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, one, run } = statements(sql, "counterChanges")

  return {
    /** Makes processes that add changes take turns until the surrounding transaction ends. */
    lock: run("lock")`select pg_advisory_xact_lock(${LOCK})`,

    /** Takes the oldest changes of these counters, at most `limit`, and returns their sums. */
    take: (counters: ReadonlyArray<string>, limit: number) => many("take", SumRow)`
      with taken as (
        delete from counter_changes where id in (
          select id from counter_changes where ${sql.in("counter", counters)} order by id limit ${limit})
        returning counter, subject_id, amount)
      select counter, subject_id, sum(amount)::integer as amount, count(*)::integer as taken
      from taken group by counter, subject_id`,

    /**
     * Returns the subject of a table after which the next comparison begins. Returns none while another process
     * compares; otherwise no other process compares until the surrounding transaction ends.
     */
    position: (table: string) =>
      Effect.map(
        one("position", PositionRow)`
          select pg_try_advisory_xact_lock(${AUDIT_LOCK}) as is_ours,
            coalesce((select after_id from counter_audits where counter_table = ${table}), ${BEGINNING}) as after_id`,
        ({ after_id, is_ours }) => (is_ours ? Option.some(after_id) : Option.none())
      ),

    /** Saves the last subject that was compared; null begins again. */
    savePosition: (table: string, last: string | null) => run("savePosition")`
      insert into counter_audits (counter_table, after_id) values (${table}, ${last ?? BEGINNING})
      on conflict (counter_table) do update set after_id = excluded.after_id`
  }
})
