import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeletionCounts } from "../../../schemas/accounts/deletion/Deletion.ts"
import { type OwnerId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The reasons why an account cannot be erased yet. */
const WaitRow = Schema.Struct({
  is_settling: Schema.Boolean,
  may_be_paid: Schema.Boolean,
  is_reported: Schema.Boolean
})

const ImagesRow = Schema.Struct({ ids: Schema.Array(UploadOperationId) })

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

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
     * Returns the images of an account that texts show which buyers read: the versions that were sold, and the present text
     * of their Posts. An image may have been uploaded for another Post.
     */
    imagesOfBuyers: (owner: OwnerId) =>
      Effect.map(
        one("imagesOfBuyers", ImagesRow)`
          select coalesce(array_agg(u.id order by u.id), '{}') as ids from upload_operations u
          where u.owner_id = ${owner} and u.target_kind <> 'attachment' and u.id in (
            select (regexp_matches(t.text, ${UUID}, 'g'))[1]::uuid from (
              select concat_ws(' ', v.free_content_markdown, v.paid_content_markdown) as text
              from sold_versions v join posts p on p.id = v.post_id where p.owner_id = ${owner}
              union all
              select concat_ws(' ', p.free_content_markdown, p.paid_content_markdown) from posts p
              where p.owner_id = ${owner} and exists (select from sold_versions v where v.post_id = p.id)) t)`,
        ({ ids }) => ids
      ),

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
