import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Handles that their owners gave up. Their old URLs lead to the new ones until another account claims them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // In lower case, as handles are compared. Of several who had one, the last is remembered.
  yield* sql`
    create table former_handles (
      handle text collate "C" primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      released_at timestamptz not null
    )
  `
  yield* sql`create index former_handles_owner_id on former_handles (owner_id)`
})
