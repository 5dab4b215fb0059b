import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { PostId, PurchaseId } from "../../platform/Ids.ts"
import { NanoAddress, RawDigits } from "../../platform/Nano.ts"
import { BlockHash } from "../../platform/NanoBlock.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { atMost, Text } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { Author } from "../../publishing/discovery/Discovery.ts"
import { searchText } from "../../publishing/discovery/query.ts"
import { RawSum } from "../finance/amounts.ts"
import { VersionSha256 } from "../x402/Offer.ts"

/** Default number of purchases of a page. */
export const PURCHASES_DEFAULT = 50
/** Purchases of a page, at most. */
export const PURCHASES_MAX = 100

const purchase = {
  id: PurchaseId,
  postId: PostId,
  post: Schema.Struct({
    title: Schema.String,
    /** Null while the Post is not public. */
    url: Schema.NullOr(Schema.String),
    author: Author
  }),
  /** The raw that the payer sent. */
  amountRaw: RawDigits,
  /** The price for which it was sold, in raw. The low digits of `amountRaw` may name a payment session. */
  priceRaw: RawDigits,
  /** The version that was bought, as it was when the payment was accepted. */
  versionSha256: Schema.NullOr(VersionSha256),
  /** The hash of the block that paid. */
  transaction: BlockHash,
  network: Schema.String,
  payer: NanoAddress,
  payTo: NanoAddress,
  channel: Schema.Literals(["x402", "session", "claim"]),
  /** `settling` until the ledger confirms the payment: the Post cannot be read before. */
  state: Schema.Literals(["settling", "settled"]),
  /** True for a payment for a Post that its payer already had. It bought nothing: ask the author for a refund. */
  duplicate: Schema.Boolean,
  /** The sum that the author refunded, in raw. */
  refundedRaw: RawSum,
  /** The time of the payment; while it settles, that of its request. */
  purchasedAt: Timestamp,
  /** The URL at which its buyer reads the Post. */
  accessUrl: Schema.String
}

/** A Post that was bought, or whose payment is still settling. */
export const Purchase = Schema.Struct(purchase).annotate({ identifier: "Purchase" })
export type Purchase = typeof Purchase.Type

/** A purchase that this request recorded, for a payment that was sent outside the flow. */
export const ClaimedPurchase = Schema.Struct(purchase)
  .annotate({ identifier: "ClaimedPurchase" })
  .pipe(HttpApiSchema.status(201))

/** The query of a list of purchases. An empty cursor begins it. */
export const PurchasesQuery = Schema.Struct({
  limit: Schema.optionalKey(queryInteger({ minimum: 1, maximum: PURCHASES_MAX, default: PURCHASES_DEFAULT })),
  cursor: Schema.optionalKey(Cursor),
  q: Schema.optionalKey(
    searchText(
      "Words to look for in the title and in the name and handle of the author, as in the search of Posts: 1 to 200 characters"
    )
  )
})
export type PurchasesQuery = typeof PurchasesQuery.Type

/** Purchases of an account, newest first. A purchase keeps its id when it settles. */
export const PurchasePage = Schema.Struct({
  data: Schema.Array(Purchase),
  pagination
}).annotate({ identifier: "PurchasePage" })
export type PurchasePage = typeof PurchasePage.Type

/** Maximum number of characters of a receipt in a request. A valid receipt has 70. */
export const RECEIPT_CHARACTERS_MAX = 200

/** Adds an anonymous purchase to the account by its receipt. */
const ReceiptClaim = Schema.Struct({ receiptToken: Text.check(atMost(RECEIPT_CHARACTERS_MAX)) })

/** Claims a payment that was sent outside the flow: a block that the login wallet sent to the author of the Post. */
const BlockClaim = Schema.Struct({ postId: PostId, blockHash: BlockHash })

/** The body of a claim: either a receipt, or a Post and a block. */
export const PurchaseClaim = Schema.Union([ReceiptClaim, BlockClaim]).annotate({
  identifier: "PurchaseClaim"
})
export type PurchaseClaim = typeof PurchaseClaim.Type
