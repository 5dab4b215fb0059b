import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The audit log of administrators. It outlives the accounts and things that it names. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table administrator_actions (
      id uuid primary key,
      action text not null,
      subject_id uuid not null,
      reason text not null,
      created_at timestamptz not null
    )
  `
  yield* sql`create index administrator_actions_subject on administrator_actions (subject_id, created_at)`
})
