import { Schema } from "effect"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { CommentId, PostId, PurchaseId, SettlementId } from "../../platform/Ids.ts"
import { NanoAddress, RawDigits } from "../../platform/Nano.ts"
import { BlockHash } from "../../platform/NanoBlock.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { Author } from "../../publishing/discovery/Discovery.ts"
import { CreationMethod } from "../../publishing/posts/creation.ts"
import { MatchedBy } from "../sessions/PaymentSession.ts"
import { VersionSha256 } from "../x402/Offer.ts"
import { RawSum, Transaction } from "./amounts.ts"
import { period } from "./period.ts"

export const FINANCE_PAGE_DEFAULT = 50
export const FINANCE_PAGE_MAX = 100

/** A page of sales or tips, newest first. An empty cursor begins the list. */
export const FinanceQuery = Schema.Struct({
  ...period,
  postId: Schema.optionalKey(PostId),
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: FINANCE_PAGE_MAX, default: FINANCE_PAGE_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor)
})
export type FinanceQuery = typeof FinanceQuery.Type

/** The recipient of a payment. `platform`: the whole payment went to the platform, for fees that were due. */
const Allocation = Schema.Struct({
  role: Schema.Literals(["author", "platform"]),
  amountRaw: RawDigits,
  address: NanoAddress,
  payoutRevision: Schema.NullOr(Schema.Int),
  state: Schema.Literal("settled")
})

const received = {
  id: SettlementId,
  amountReceivedRaw: RawDigits,
  allocations: Schema.Array(Allocation),
  payer: NanoAddress,
  /** Null for a payer without an account. */
  buyer: Schema.NullOr(Author),
  channel: Schema.Literals(["x402", "session", "claim"]),
  /** Null for a payment that came through no payment session. */
  matchedBy: Schema.NullOr(MatchedBy),
  transaction: Transaction,
  late: Schema.Boolean,
  confirmedAt: Timestamp
}

const sale = {
  ...received,
  /** Null for a duplicate: a payment for a Post that its payer already had, which bought nothing. */
  purchaseId: Schema.NullOr(PurchaseId),
  duplicate: Schema.Boolean,
  postId: PostId,
  title: Schema.String,
  priceRaw: RawDigits,
  /** The version that was sold, as it was when the payment was accepted. */
  versionSha256: Schema.NullOr(VersionSha256),
  refundedRaw: RawSum
}

/** A payment for a Post. The title is that of the version that was sold. */
export const Sale = Schema.Struct(sale).annotate({ identifier: "Sale" })
export type Sale = typeof Sale.Type

/**
 * A Post as it was when the payment was accepted. `contentSha256` is the `versionSha256` of the sale. It covers title, texts and
 * files; the other members are those with which this version was first sold.
 */
const Snapshot = Schema.Struct({
  title: Schema.String,
  description: Schema.String,
  freeContentMarkdown: Schema.NullOr(Schema.String),
  paidContentMarkdown: Schema.NullOr(Schema.String),
  contentSha256: Schema.String,
  creationMethod: Schema.NullOr(CreationMethod),
  creationDetails: Schema.NullOr(Schema.String),
  language: Schema.String,
  attachments: Schema.Array(
    Schema.Struct({
      fileName: Schema.String,
      byteSize: Schema.Int,
      sha256: Schema.NullOr(Schema.String)
    })
  )
})
export type Snapshot = typeof Snapshot.Type

/** A sale with the Post as it was sold. */
export const SaleSnapshot = Schema.Struct({ ...sale, snapshot: Schema.NullOr(Snapshot) }).annotate({
  identifier: "SaleSnapshot"
})
export type SaleSnapshot = typeof SaleSnapshot.Type

/** A tip to a Post, to a Comment on a Post, or to the Profile, which has neither. */
export const ReceivedTip = Schema.Struct({
  ...received,
  postId: Schema.NullOr(PostId),
  commentId: Schema.NullOr(CommentId),
  title: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ReceivedTip" })
export type ReceivedTip = typeof ReceivedTip.Type

export const Sales = Schema.Struct({ data: Schema.Array(Sale), pagination }).annotate({ identifier: "Sales" })
export type Sales = typeof Sales.Type

export const ReceivedTips = Schema.Struct({ data: Schema.Array(ReceivedTip), pagination }).annotate({
  identifier: "ReceivedTips"
})
export type ReceivedTips = typeof ReceivedTips.Type

/** The block with which an author sent a refund. */
export const RefundRequest = Schema.Struct({ blockHash: BlockHash }).annotate({ identifier: "RefundRequest" })

/** The export of a period. */
export const ExportQuery = Schema.Struct({
  ...period,
  kind: Schema.optionalKey(Schema.Literals(["sales", "tips", "all"]))
})
export type ExportQuery = typeof ExportQuery.Type
