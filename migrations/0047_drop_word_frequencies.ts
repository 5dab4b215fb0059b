import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Related Posts are chosen by the statistics of PostgreSQL itself. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table word_frequencies`
})
