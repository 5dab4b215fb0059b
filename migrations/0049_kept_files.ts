import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The time at which a removed file may have lost its last reader. Files that were removed before are looked at soon. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table post_attachments add column kept_until timestamptz`
  yield* sql`update post_attachments set kept_until = removed_at where removed_at is not null`
  yield* sql`create index post_attachments_kept on post_attachments (kept_until) where kept_until is not null`
})
