import { Schema } from "effect"
import { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { Purchase } from "../../../schemas/payments/purchases/Purchase.ts"
import { OwnerId, PostId, PurchaseId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { authorColumns, authorOf } from "../../accounts/owners/authorRow.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { resourceUrlOf } from "../access/resource.ts"

/** A purchase, or a payment for one, with its Post and the Post's author. */
export const PurchaseRow = Schema.Struct({
  id: PurchaseId,
  post_id: PostId,
  buyer_id: Schema.NullOr(OwnerId),
  title: Schema.String,
  slug: Schema.String,
  is_public: Schema.Boolean,
  author_id: OwnerId,
  author_name: Schema.String,
  author_handle: Schema.String,
  author_avatar_url: Schema.NullOr(Schema.String),
  author_kind: AuthorKind,
  amount_raw: Schema.String,
  base_raw: Schema.String,
  version_sha256: Schema.NullOr(Schema.String),
  block_hash: BlockHash,
  payer_key: NanoPublicKey,
  pay_to_key: NanoPublicKey,
  channel: Schema.Literals(["x402", "session", "claim"]),
  is_settled: Schema.Boolean,
  is_duplicate: Schema.Boolean,
  refunded_raw: Schema.String,
  purchased_at: Timestamp
})
export type PurchaseRow = typeof PurchaseRow.Type

/**
 * Columns of a {@link PurchaseRow}, for `b` (`id`, `settlement_id`) with settlements, Post and author. A buyer sees Posts
 * that are no longer public, too. With `offset 0`, PostgreSQL looks up each Post, and never reads all of them.
 */
export const purchaseColumns = `
  b.id, s.post_id, s.buyer_id, p.title, p.slug,
  exists (select from public_posts where public_posts.id = p.id offset 0) as is_public,
  ${authorColumns("author", "o")},
  s.amount_raw::text as amount_raw, s.base_raw::text as base_raw,
  encode(s.version_sha256, 'hex') as version_sha256, encode(s.block_hash, 'hex') as block_hash,
  encode(s.payer_key, 'hex') as payer_key, encode(s.pay_to_key, 'hex') as pay_to_key, s.channel,
  s.state = 'settled' as is_settled, s.duplicate as is_duplicate,
  (select coalesce(sum(amount_raw), 0) from refunds where settlement_id = s.id)::text as refunded_raw,
  wire_time(coalesce(s.settled_at, s.created_at)) as purchased_at`

/** Tables of the columns, in addition to `b`. */
export const purchaseJoins = `
  join settlements s on s.id = b.settlement_id join posts p on p.id = s.post_id join owners o on o.id = p.owner_id`

/** The condition on a settlement that it pays for a Post and has bought nothing yet, or nothing at all. Two indexes have it. */
export const isUnbought = `kind = 'purchase' and (due_at is not null or duplicate)`

/** The service as its answers name it. */
interface Place {
  readonly baseUrl: string
  readonly media: OwnMedia["Service"]
  readonly network: string
}

/** Returns a purchase as its buyer sees it. */
export const purchaseOf = (row: PurchaseRow, { baseUrl, media, network }: Place): Purchase => ({
  id: row.id,
  postId: row.post_id,
  post: {
    title: row.title,
    url: row.is_public ? `${baseUrl}/@${row.author_handle}/${row.slug}` : null,
    author: authorOf(row, media)
  },
  amountRaw: row.amount_raw,
  priceRaw: row.base_raw,
  versionSha256: row.version_sha256,
  transaction: row.block_hash,
  network,
  payer: addressOfPublicKey(row.payer_key),
  payTo: addressOfPublicKey(row.pay_to_key),
  channel: row.channel,
  state: row.is_settled ? "settled" : "settling",
  duplicate: row.is_duplicate,
  refundedRaw: row.refunded_raw,
  purchasedAt: row.purchased_at,
  accessUrl: resourceUrlOf(baseUrl, row.post_id)
})
