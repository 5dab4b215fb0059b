import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../sql/statements.ts"

/** The advisory locks of the process that adds changes now, and of the one that compares. */
const LOCK = 7_104_219
const AUDIT_LOCK = 7_104_221

/** Comes before every id. */
const BEGINNING = "00000000-0000-0000-0000-000000000000"

const WaitingRow = Schema.Struct({ is_waiting: Schema.Boolean })
const TurnRow = Schema.Struct({ is_ours: Schema.Boolean })
const PositionRow = Schema.Struct({ is_ours: Schema.Boolean, after_id: Schema.String })
const SumRow = Schema.Struct({
  counter: Schema.String,
  subject_id: Schema.String,
  amount: Schema.Int,
  taken: Schema.Int
})

/** Begins a statement that appends changes of counters, by triggers as by features: a name, a subject and an amount. */
export const appendCounterChanges = `insert into counter_changes (counter, subject_id, amount)`

/** Statements over `counter_changes`, which wait to be added, and `counter_audits`, the places of comparisons. */
export const counterChangeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, one, run } = statements(sql, "counterChanges")

  return {
    /** Returns true when changes wait. */
    isWaiting: Effect.map(
      one("isWaiting", WaitingRow)`select exists (select from counter_changes) as is_waiting`,
      ({ is_waiting }) => is_waiting
    ),

    /** Returns true when this process may add changes, until the surrounding transaction ends. */
    isOurTurn: Effect.map(
      one("isOurTurn", TurnRow)`select pg_try_advisory_xact_lock(${LOCK}) as is_ours`,
      ({ is_ours }) => is_ours
    ),

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
