import { Schema } from "effect"
import { AccessVersion, AccessVia } from "../../../schemas/payments/access/Access.ts"
import { OwnerId, PostId, PurchaseId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { AttachmentState } from "../../../schemas/publishing/posts/Post.ts"

const AttachmentRow = Schema.Struct({
  id: Schema.String,
  fileName: Schema.String,
  byteSize: Schema.Int,
  sha256: Schema.NullOr(Schema.String),
  state: AttachmentState
})

/** A settled payment, as an answer shows it. */
const PaidRow = Schema.Struct({
  purchase_id: Schema.NullOr(PurchaseId),
  block_hash: BlockHash,
  payer_key: NanoPublicKey,
  amount_raw: Schema.String
})
export type PaidRow = typeof PaidRow.Type

const post = {
  id: PostId,
  owner_id: OwnerId,
  slug: Schema.String,
  handle: Schema.String,
  title: Schema.String,
  is_public: Schema.Boolean,
  enable_paywall: Schema.Boolean,
  price_raw: Schema.NullOr(Schema.String),
  payout_address: Schema.NullOr(NanoAddress),
  /** The digest of the version that is for sale, in hex. */
  current_sha256: Schema.String
}

const texts = {
  free_text: Schema.NullOr(Schema.String),
  paid_text: Schema.NullOr(Schema.String),
  files: Schema.Array(AttachmentRow)
}

/**
 * A Post, what entitles the caller to read it, and the text if anything does. `via` is the first entitlement. If it is
 * null, the texts and files are also null.
 */
export const AccessRow = Schema.Struct({
  ...post,
  via: Schema.NullOr(AccessVia),
  version: AccessVersion,
  /** The purchase by which the caller reads; null for the others. */
  purchase: Schema.NullOr(PaidRow),
  /** The digest of the version that the caller bought, in hex. */
  sold_sha256: Schema.NullOr(Schema.String),
  /** The settled payment of the quote of this request. */
  paid: Schema.NullOr(PaidRow),
  /** The settlement that is under way for the quote of this request. */
  pending_of_quote: Schema.NullOr(SettlementId),
  /** The settlement of this Post that is under way for the owner, from any wallet. */
  pending_of_owner: Schema.NullOr(SettlementId),
  shown_title: Schema.String,
  ...texts,
  /** The file for which the Post is read, as it is for sale; null when it is not on the Post, or none was named. */
  asked_file: Schema.NullOr(AttachmentState)
})
export type AccessRow = typeof AccessRow.Type

/** A Post for a caller who presents nothing. It has texts and files if it is free. */
export const UnentitledRow = Schema.Struct({ ...post, is_free: Schema.Boolean, ...texts })

/** Returns the row of a caller who presents nothing in the form for any caller. */
export const accessRowOf = ({ is_free, ...row }: typeof UnentitledRow.Type): AccessRow => ({
  ...row,
  via: is_free ? "free" : null,
  version: "current",
  purchase: null,
  sold_sha256: null,
  paid: null,
  pending_of_quote: null,
  pending_of_owner: null,
  shown_title: row.title,
  asked_file: null
})
