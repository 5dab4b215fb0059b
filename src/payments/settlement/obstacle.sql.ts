import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isForSale } from "../../publishing/posts/fileForSale.sql.ts"
import type { Claim } from "./claim.sql.ts"

/** Reasons that keep a claim from its settlement. */
const ObstacleRow = Schema.Struct({
  is_open: Schema.Boolean,
  is_free: Schema.Boolean,
  has_terms: Schema.Boolean,
  is_known: Schema.Boolean,
  is_previous_in_flight: Schema.Boolean
})

/** Selects a target that readers may pay for, on whatever terms. */
const openTarget = (sql: SqlClient.SqlClient, { amountRaw, fileId, target }: Claim) => {
  if (target.kind === "purchase") {
    const hasFile =
      fileId === undefined
        ? sql`true`
        : sql`exists (select from post_attachments f where f.post_id = p.id and ${isForSale(sql, fileId)})`
    return sql`
      select p.id, not p.enable_paywall as is_free,
        p.price_raw = ${String(amountRaw)}::numeric and ${hasFile} as has_price, o.payout_address
      from public_posts p join owners o on o.id = p.owner_id where p.id = ${target.postId}`
  }
  const recipient = sql`
    select o.id, false as is_free, true as has_price, o.payout_address from public_owners o
    where o.id = ${target.recipientId}`
  if (target.postId === null) return recipient
  const post = sql`${recipient} and exists (select from public_posts where id = ${target.postId})`
  return target.commentId === null
    ? post
    : sql`${post} and exists (
        select from public_comments
        where id = ${target.commentId} and post_id = ${target.postId} and deleted_at is null)`
}

/** Says why a claim found no place. */
export const obstacleStatement = (sql: SqlClient.SqlClient) => {
  const { one } = statements(sql, "settlements")
  const bytes = (hex: string) => sql`decode(${hex}, 'hex')`

  return (claim: Claim, platformAddress: NanoAddress | null) => {
    const { block, payTo, quoteHash } = claim
    return one("obstacle", ObstacleRow)`
      select target.id is not null as is_open, coalesce(target.is_free, false) as is_free,
        coalesce(target.has_price and target.payout_address in (${payTo}, case ${platformAddress}::text when ${payTo}
          then target.payout_address end), false) as has_terms,
        exists (select from settlements where state <> 'refused'
          and (block_hash = ${bytes(block.hash)} or quote_hash = ${quoteHash})) as is_known,
        exists (select from settlements where state = 'settling' and previous = ${bytes(block.previous)})
          as is_previous_in_flight
      from (values (1)) always left join (${openTarget(sql, claim)}) target on true`
  }
}
