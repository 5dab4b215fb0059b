import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Pages no longer store their texts and related Posts: each process makes them and keeps the answers. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop trigger page_texts_begin on posts`
  yield* sql`drop trigger page_texts_end on posts`
  yield* sql`drop function page_texts_end()`
  yield* sql`drop table page_texts`
})
