import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Finds the payment sessions of a browser, and of an account, for one Post. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A browser without an account has one receipt for each Post, which all its sessions for that Post share.
  yield* sql`
    create index concurrently if not exists payment_sessions_receipt on payment_sessions (receipt_hash) where receipt_hash is not null
  `
  yield* sql`
    create index concurrently if not exists payment_sessions_buyer on payment_sessions (buyer_id, post_id) where buyer_id is not null
  `
})
