import { Context, Effect, Layer, Option, Schema } from "effect"
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

/** Changes of counters that wait to be added. */
export class CountersRepo extends Context.Service<
  CountersRepo,
  {
    /** Returns true when changes wait. */
    readonly isWaiting: Effect.Effect<boolean>
    /** Returns true when this process may add changes, until the surrounding transaction ends. */
    readonly isOurTurn: Effect.Effect<boolean>
    /** Takes the oldest changes of these counters, at most `limit`, and returns their sums. */
    readonly take: (
      counters: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<typeof SumRow.Type>>
    /**
     * Returns the subject of a table after which the next comparison begins. Returns none while another process
     * compares; otherwise no other process compares until the surrounding transaction ends.
     */
    readonly position: (table: string) => Effect.Effect<Option.Option<string>>
    /** Saves the last subject that was compared; null begins anew. */
    readonly savePosition: (table: string, last: string | null) => Effect.Effect<void>
  }
>()("pennypress/platform/counters/CountersRepo") {
  static readonly layer = Layer.effect(
    CountersRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { many, one, run } = statements(sql, "CountersRepo")

      return CountersRepo.of({
        isWaiting: Effect.map(
          one("isWaiting", WaitingRow)`select exists (select from counter_changes) as is_waiting`,
          ({ is_waiting }) => is_waiting
        ),
        isOurTurn: Effect.map(
          one("isOurTurn", TurnRow)`select pg_try_advisory_xact_lock(${LOCK}) as is_ours`,
          ({ is_ours }) => is_ours
        ),
        take: (counters, limit) => many("take", SumRow)`
          with taken as (
            delete from counter_changes where id in (
              select id from counter_changes where ${sql.in("counter", counters)} order by id limit ${limit})
            returning counter, subject_id, amount)
          select counter, subject_id, sum(amount)::integer as amount, count(*)::integer as taken
          from taken group by counter, subject_id`,
        position: (table) =>
          Effect.map(
            one("position", PositionRow)`
              select pg_try_advisory_xact_lock(${AUDIT_LOCK}) as is_ours,
                coalesce((select after_id from counter_audits where counter_table = ${table}), ${BEGINNING}) as after_id`,
            ({ after_id, is_ours }) => (is_ours ? Option.some(after_id) : Option.none())
          ),
        savePosition: (table, last) => run("savePosition")`
          insert into counter_audits (counter_table, after_id) values (${table}, ${last ?? BEGINNING})
          on conflict (counter_table) do update set after_id = excluded.after_id`
      })
    })
  )
}
