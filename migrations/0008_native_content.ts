import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What another service writes into a section, and what the sections say in plain text. */
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
})
