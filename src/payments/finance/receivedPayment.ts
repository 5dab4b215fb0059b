import type { ReceivedTip, Sale, SaleSnapshot, Snapshot } from "../../../schemas/payments/finance/Sale.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"
import type { SnapshotRow } from "./finances.sql.ts"
import type { ReceivedRow } from "./received.sql.ts"

/** Returns the account that paid; null for a payer without one. */
const buyerOf = (row: ReceivedRow, { urlOf }: OwnMedia["Service"]): Sale["buyer"] =>
  row.buyer_id === null || row.buyer_name === null || row.buyer_handle === null || row.buyer_kind === null
    ? null
    : {
        id: row.buyer_id,
        name: row.buyer_name,
        handle: row.buyer_handle,
        avatarUrl: urlOf(row.buyer_avatar_url),
        authorKind: row.buyer_kind
      }

const paymentOf = (row: ReceivedRow, media: OwnMedia["Service"]) => ({
  id: row.id,
  amountReceivedRaw: row.amount_raw,
  allocations: [
    {
      role: row.role,
      amountRaw: row.allocated_raw,
      address: row.address,
      payoutRevision: row.payout_revision,
      state: "settled" as const
    }
  ],
  payer: addressOfPublicKey(row.payer_key),
  buyer: buyerOf(row, media),
  channel: row.channel,
  matchedBy: row.matched_by,
  transaction: row.block_hash,
  late: row.late,
  confirmedAt: row.confirmed_at
})

/** Returns the sale of a row. Every purchase has a Post and a title. */
export const saleOf = (row: ReceivedRow, media: OwnMedia["Service"]): Sale => ({
  ...paymentOf(row, media),
  purchaseId: row.purchase_id,
  duplicate: row.is_duplicate,
  // The database requires the Post of a purchase, and keeps it.
  postId: row.post_id as PostId,
  title: row.title ?? "",
  priceRaw: row.base_raw,
  versionSha256: row.version_sha256,
  refundedRaw: row.refunded_raw
})

const soldOf = (row: SnapshotRow): Snapshot | null =>
  row.sold_title === null || row.content_sha256 === null
    ? null
    : {
        title: row.sold_title,
        description: row.description ?? "",
        freeContentMarkdown: row.free_content_markdown,
        paidContentMarkdown: row.paid_content_markdown,
        contentSha256: row.content_sha256,
        creationMethod: row.creation_method,
        creationDetails: row.creation_details,
        language: row.language ?? "",
        attachments: (row.attachments ?? []).map(({ byteSize, fileName, sha256 = null }) => ({
          fileName,
          byteSize,
          sha256
        }))
      }

/** Returns a sale with the Post as it was sold. */
export const saleSnapshotOf = (row: SnapshotRow, media: OwnMedia["Service"]): SaleSnapshot => ({
  ...saleOf(row, media),
  snapshot: soldOf(row)
})

export const receivedTipOf = (row: ReceivedRow, media: OwnMedia["Service"]): ReceivedTip => ({
  ...paymentOf(row, media),
  postId: row.post_id,
  commentId: row.comment_id,
  title: row.title
})
