import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Notes when the holder of a payment session said that the payment was sent. Only a word that came after a block counts for
 * it. `said_sent` is no longer read or written.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table payment_sessions add column said_sent_at timestamptz`
})
