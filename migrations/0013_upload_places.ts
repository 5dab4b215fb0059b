import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** States of upload operations that several statements ask for, and the place that an image was uploaded for. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The version that may still be running names its columns in every statement, so that it does not
  // see these, and writes nothing that they are made of in another way.
  //
  // `unfinished`: something still happens to the operation without its author. `shown`: readers may
  // see its public copy. `replaced_url` is what stood in the place of an og, avatar or header image
  // when its upload began. `detail` explains `last_error` to the author.
  yield* sql`
    alter table upload_operations
      add column unfinished boolean not null
        generated always as (state in ('receiving', 'queued', 'checking')) stored,
      add column shown boolean not null
        generated always as (state in ('queued', 'checking', 'cleared') and not held and public_url is not null) stored,
      add column replaced_url text,
      add column detail text
  `
  // Counted against the limits of a Profile.
  yield* sql`
    create index upload_operations_limited on upload_operations (owner_id) where unfinished or staged_bytes > 0
  `
  // Listed for an administrator.
  yield* sql`
    create index upload_operations_stuck on upload_operations (created_at, id) where unfinished or held
  `
})
