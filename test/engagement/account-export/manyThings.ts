import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"

/** Returns SQL for the id of the `n`th thing of an owner. */
const idOf = (kind: string, owner: number) =>
  `('00000000-0000-4000-8${kind}0${owner % 10}-' || lpad((${owner} * 100000000 + n)::text, 12, '0'))::uuid`

/** Inserts paid posts of an owner, half of them drafts. */
export const insertPosts = Effect.fnUntraced(function* (
  owner: OwnerId,
  number: number,
  count: number,
  words = 10
) {
  const sql = yield* SqlClient.SqlClient
  const id = sql.literal(idOf("4", number))
  yield* sql`
    insert into posts (id, owner_id, status, title, description, free_content_markdown, paid_content_markdown,
      enable_paywall, price_raw, primary_category_id, slug, language, comments_enabled, creation_method, creation_attested,
      created_at, updated_at, published_at)
    select ${id}, ${owner}, case when n % 2 = 0 then 'draft' else 'published' end, 'Post ' || n, 'About it',
      repeat('Some words. ', ${words}), repeat('Paid words. ', ${words}), true, 1e28, 1 + n % 30, 'post-' || n, 'en', true,
      'human_written', true, at, at, case when n % 2 = 0 then null else at end
    from generate_series(1, ${count}) n, lateral (select timestamptz '2025-01-01Z' + n * interval '1 hour' as at) moment`
})

/** Inserts pictures of an owner, as if they were uploaded and cleared. */
export const insertPictures = Effect.fnUntraced(function* (owner: OwnerId, number: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  const id = sql.literal(idOf("5", number))
  const target = sql.literal(idOf("4", number))
  yield* sql`
    insert into upload_operations (id, owner_id, target_kind, target_id, target_key, generation, request_key, created_at,
      state, due_at, policy_version, staged_bytes, received_at, format, byte_size, sha256, width, height, frames, public_url,
      public_size, verdict, decided_at)
    select ${id}, ${owner}, 'inline', ${target}, 'node-1', 1, 'key-' || n, at, 'cleared', at, '1', 0, at, 'png', 1,
      sha256(convert_to(n::text, 'UTF8')), 8, 8, 1, 'x', 1, 'cleared', at
    from generate_series(1, ${count}) n, lateral (select timestamptz '2025-01-01Z' + n * interval '1 hour' as at) moment`
})
