import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Payments of an account that have bought nothing yet, or nothing at all: the list of purchases shows them, too. They are
 * few beside those that have bought something.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create index settlements_unbought_buyer on settlements (buyer_id, id desc)
    where kind = 'purchase' and (due_at is not null or duplicate)
  `
  yield* sql`
    create index settlements_unbought_wallet on settlements (payer_key, id desc)
    where kind = 'purchase' and (due_at is not null or duplicate)
  `
})
