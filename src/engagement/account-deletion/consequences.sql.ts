import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeletionCounts } from "../../../schemas/accounts/deletion/Deletion.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The reasons why an account cannot be erased yet. */
const WaitRow = Schema.Struct({
  is_settling: Schema.Boolean,
  may_be_paid: Schema.Boolean,
  is_reported: Schema.Boolean
})

/** Statements that read what a deletion concerns, and what it waits for. */
export const consequenceStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "consequences")

  return {
    count: (owner: OwnerId) => one("count", DeletionCounts)`
      select (select count(*)::int from posts where owner_id = o.id) as posts,
        (select count(distinct coalesce(buyer_id::text, encode(payer_key, 'hex')))::int from settlements
          where recipient_id = o.id and kind = 'purchase' and state = 'settled') as buyers,
        (select coalesce(sum(sales_raw + tips_raw), 0)::text from earnings_daily where owner_id = o.id) as "salesRaw",
        (select coalesce(sum(amount_raw), 0)::text from obligations
          where owner_id = o.id and state <> 'paid') as "obligationsRaw",
        (select count(*)::int from purchases b
          where b.buyer_id = o.id or b.payer_key = o.wallet_public_key) as purchases,
        (select count(*)::int from comments where author_id = o.id and deleted_at is null) as comments,
        o.follower_count as followers
      from owners o where o.id = ${owner}`,

    /**
     * Says what holds a deletion up: a payment of or to the account that is under way, a payment session that may still be
     * paid, or an open report about the account or its work.
     */
    waits: (owner: OwnerId) => one("waits", WaitRow)`
      select exists (
          select from settlements where (recipient_id = ${owner} or buyer_id = ${owner}) and state = 'settling') as is_settling,
        exists (
          select from payment_sessions
          where (recipient_id = ${owner} or buyer_id = ${owner}) and is_live and state <> 'paid') as may_be_paid,
        exists (select from reports where author_id = ${owner} and resolved_at is null) as is_reported`
  }
})
