import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Receipts: each reads one Post without an account. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A receipt is of a purchase, or of a redemption of a gift. A purchase may have several: one for each quote that showed
  // the wallet that paid. The secret is not stored.
  yield* sql`
    create table access_receipts (
      id uuid primary key,
      token_hash bytea not null check (octet_length(token_hash) = 32),
      post_id uuid not null,
      purchase_id uuid references purchases (id) on delete restrict,
      redemption_id uuid,
      created_at timestamptz not null,
      revoked_at timestamptz,
      constraint access_receipts_token unique (token_hash),
      check (num_nonnulls(purchase_id, redemption_id) = 1)
    )
  `
  yield* sql`create index access_receipts_purchase on access_receipts (purchase_id) where purchase_id is not null`
  yield* sql`create index access_receipts_redemption on access_receipts (redemption_id) where redemption_id is not null`
})
