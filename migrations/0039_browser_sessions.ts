import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Browser sessions: cookies that stand for a session of their owner. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The cookie ends with its session. Only its hash is stored.
  yield* sql`
    create table browser_sessions (
      session_id uuid primary key references sessions (id) on delete cascade,
      token_hash bytea not null unique check (octet_length(token_hash) = 32),
      label text not null check (char_length(label) <= 100),
      created_at timestamptz not null
    )
  `
})
