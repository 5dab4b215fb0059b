import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The share of Posts that have a word, for words of many Posts. PostgreSQL's statistics have it in an array of a thousand words,
 * which takes a millisecond to read.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table word_frequencies (word text primary key, frequency real not null)`
})
