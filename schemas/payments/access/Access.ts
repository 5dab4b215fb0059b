import { Schema } from "effect"
import { PostId, PurchaseId } from "../../platform/Ids.ts"
import { AttachmentState } from "../../publishing/posts/Post.ts"
import { VersionSha256 } from "../x402/Offer.ts"
import { SettlementResponse } from "../x402/SettlementResponse.ts"

/** The version of a Post that a buyer reads: the current text, or the text that was sold. */
export const AccessVersion = Schema.Literals(["current", "purchased"])
export type AccessVersion = typeof AccessVersion.Type

/**
 * The query of a read. `purchased` requests the version that was sold; without a purchase, the current one is returned. By
 * default, the answer to a payment has the version that it bought, and any other answer has the current one.
 */
export const AccessQuery = Schema.Struct({ version: Schema.optionalKey(AccessVersion) })
export type AccessQuery = typeof AccessQuery.Type

/** Reasons why a caller may read a Post. An answer names the first that applies. */
export const AccessVia = Schema.Literals(["free", "author", "purchase", "receipt", "gift", "payment"])
export type AccessVia = typeof AccessVia.Type

/** A file that comes with the paid text. */
export const AccessAttachment = Schema.Struct({
  id: Schema.String,
  fileName: Schema.String,
  byteSize: Schema.Int,
  /** In hex; null until all bytes have been received. */
  sha256: Schema.NullOr(Schema.String),
  state: AttachmentState,
  url: Schema.String
}).annotate({ identifier: "AccessAttachment" })

/** The files of a published Post, as the public sees them. */
export const PostAttachments = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      fileName: Schema.String,
      byteSize: Schema.Int,
      state: AttachmentState
    }).annotate({ identifier: "PublicAttachment" })
  )
}).annotate({ identifier: "PostAttachments" })
export type PostAttachments = typeof PostAttachments.Type

/**
 * A receipt, which gives access to the Post without an account. Send it as X-Purchase-Receipt, and keep it as a secret.
 * `purchaseId` is null for the receipt of a gift.
 */
export const AccessReceipt = Schema.Struct({
  token: Schema.String,
  purchaseId: Schema.NullOr(PurchaseId),
  expiresAt: Schema.Null
}).annotate({ identifier: "AccessReceipt" })

/**
 * The whole text of a Post, for a caller who may read it. `settlement` is null unless the request carried a payment.
 * `receipt` is null unless it carried a payment, or a gift token without an account. `charged` is true if the block of that
 * payment paid for the Post, in this request or in an earlier one. It is false if an earlier payment counts: `settlement` is
 * that one, and the block of this request was not sent.
 */
export const PostAccess = Schema.Struct({
  post: Schema.Struct({
    id: PostId,
    slug: Schema.String,
    title: Schema.String,
    /** Null while the Post is not public. */
    url: Schema.NullOr(Schema.String),
    version: AccessVersion,
    /** The digest of the version in this answer. `attachments` may also have files of the version that the caller bought. */
    versionSha256: VersionSha256,
    content: Schema.Struct({
      free: Schema.NullOr(Schema.String),
      paid: Schema.NullOr(Schema.String)
    }),
    attachments: Schema.Array(AccessAttachment)
  }),
  access: Schema.Struct({
    via: AccessVia,
    purchaseId: Schema.NullOr(PurchaseId),
    /** The digest of the version that the caller bought, in hex; null without a purchase. */
    versionSha256: Schema.NullOr(VersionSha256),
    charged: Schema.Boolean
  }),
  settlement: Schema.NullOr(SettlementResponse),
  receipt: Schema.NullOr(AccessReceipt)
}).annotate({ identifier: "PostAccess" })
export type PostAccess = typeof PostAccess.Type
