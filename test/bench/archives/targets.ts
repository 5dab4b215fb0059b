import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Seed } from "../seed.ts"
import { uploadTargets, uploadsForgotten } from "../uploadsTargets.ts"

/** Returns one paid Post of each author with a key, at its revision of now. No Post has a file. */
export const archiveTargets = Effect.fnUntraced(function* (seed: Seed) {
  const sql = yield* SqlClient.SqlClient
  yield* uploadsForgotten()
  yield* sql`truncate post_attachments`.unprepared
  const posts = (yield* uploadTargets(seed)).map(({ postId }) => postId)
  yield* sql`
    update posts set enable_paywall = true, paywall_requested = true, price_raw = 1000000000000000000000000000000,
      paid_content_markdown = 'The paid text' where id = any(${posts}::uuid[])`
  return yield* uploadTargets(seed)
})
