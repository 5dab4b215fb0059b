import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Native content of sections, their plain text, and files to download. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `json` keeps a document byte for byte, where `jsonb` would order and space it anew. It stands
  // beside the Markdown that says the same, or as much of it as Markdown can say; the features that
  // it cannot keep the section from being rewritten.
  yield* sql`
    alter table posts
      add column free_content_native json,
      add column paid_content_native json,
      add column free_unsupported text[] not null default '{}',
      add column paid_unsupported text[] not null default '{}',
      add column excerpt text not null default ''
  `

  // Files that buyers download. One is receiving until all of its bytes are stored.
  yield* sql`
    create table post_attachments (
      id uuid primary key,
      post_id uuid not null references posts (id) on delete cascade,
      file_name text not null,
      byte_size bigint not null check (byte_size >= 0),
      state text not null check (state in ('receiving', 'pending', 'ready')),
      created_at timestamptz not null
    )
  `
  yield* sql`create index post_attachments_post_id on post_attachments (post_id)`
})
