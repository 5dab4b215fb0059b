import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The last looks at the ledger, so that requests that wait may ask for the next one, but not more than once a second. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // looked_at is null under a lease. sent_at is when the ledger took a block that a worker sent; the pace begins there.
  yield* sql`alter table settlements add column looked_at timestamptz, add column sent_at timestamptz`
  yield* sql`alter table watched_accounts add column looked_at timestamptz`
})
