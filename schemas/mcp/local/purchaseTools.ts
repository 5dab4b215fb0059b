import { Schema } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import { UUID } from "../../platform/Ids.ts"
import { MaxBytes, Offset, PostIdArgument, textArgument, Whole } from "../arguments.ts"
import { UNTRUSTED } from "../edition.ts"
import { Paging } from "../results.ts"
import { strictTool, READS } from "../tool.ts"
import { IntentId, OperationStatus } from "./operations.ts"

/** Sales in a list. */
const SALES_LIMIT = { minimum: 1, maximum: 50 } as const
export const SALES_DEFAULT = 20

const digits = Schema.String.check(
  Schema.isPattern(/^(0|[1-9][0-9]{0,38})$/, {
    expected: "the digits of an amount in raw",
    toJsonSchema: () => ({})
  })
)

const uuid = Schema.String.check(
  Schema.isPattern(UUID, { expected: "a UUID", toJsonSchema: () => ({ format: "uuid" }) })
)

const nullableText = Schema.NullOr(Schema.String)

/** The arguments of a purchase. */
export const BuyArguments = Schema.Struct({
  intent_id: Schema.optionalKey(IntentId),
  post_id: PostIdArgument,
  expected_price_raw: digits.annotate({ description: "post.priceRaw, as you decided on it" })
})
export type BuyArguments = typeof BuyArguments.Type

/** A purchase that was settled. The receipt stays in the state directory. */
export const BoughtPost = Schema.Struct({
  purchase: Schema.Struct({
    postId: Schema.String,
    amountRaw: Schema.String,
    amountXno: Schema.String,
    charged: Schema.Boolean,
    transaction: nullableText,
    receiptSaved: Schema.Boolean
  })
})
export type BoughtPost = typeof BoughtPost.Type

const buy = strictTool("svc_buy_post", "Buy a Post", {
  description:
    "Buy a paid Post with Nano from the local wallet, within the spending grant of a person. Afterwards read it with svc_read_content.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  parameters: BuyArguments,
  success: Schema.Struct({ operation: OperationStatus, ...BoughtPost.fields })
})

/** The arguments that select a purchase; exactly one is required. */
export const PurchaseStatusArguments = Schema.Struct({
  post_id: Schema.optionalKey(PostIdArgument),
  operation_id: Schema.optionalKey(IntentId.annotate({ description: "Of svc_buy_post" }))
})
export type PurchaseStatusArguments = typeof PurchaseStatusArguments.Type

export const PurchaseStatusResult = Schema.Struct({
  status: Schema.Literals(["none", "authorized", "settling", "settled", "refused", "unknown"]),
  amountRaw: nullableText,
  amountXno: nullableText,
  refundedRaw: nullableText,
  refundedXno: nullableText,
  transaction: nullableText,
  purchasedAt: nullableText
})
export type PurchaseStatusResult = typeof PurchaseStatusResult.Type

const status = strictTool("svc_purchase_status", "Status of a purchase", {
  description: "Whether a Post was bought, and how far a purchase got. Name the Post or the operation.",
  hints: READS,
  parameters: PurchaseStatusArguments,
  success: PurchaseStatusResult
})

const attachmentId = uuid.annotate({ description: "Id of the file" })

/** The arguments of a download. */
export const DownloadArguments = Schema.Struct({ post_id: PostIdArgument, attachment_id: attachmentId })
export type DownloadArguments = typeof DownloadArguments.Type

const download = strictTool("svc_download_attachment", "Download a file of a Post", {
  description: `Download a ZIP of a Post that was bought into the state directory. Nothing of it is opened. ${UNTRUSTED}`,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  parameters: DownloadArguments,
  success: Schema.Struct({
    path: Schema.String,
    byteSize: Whole,
    sha256: Schema.String,
    untrusted: Schema.Struct({ fileName: Schema.String }),
    hiddenCharactersRemoved: Whole
  })
})

/** The arguments of an extraction. */
export const ExtractArguments = Schema.Struct({ attachment_id: attachmentId })
export type ExtractArguments = typeof ExtractArguments.Type

const extract = strictTool("svc_extract_attachment", "Extract a downloaded file", {
  description: `Extract a downloaded ZIP into a directory of its own, all or nothing. Nothing of it is run or opened. ${UNTRUSTED}`,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  parameters: ExtractArguments,
  success: Schema.Struct({
    directory: Schema.String,
    files: Whole,
    directories: Whole,
    totalBytes: Whole,
    untrusted: Schema.Struct({ paths: Schema.Array(Schema.String) }),
    hiddenCharactersRemoved: Whole
  })
})

/** The arguments that select sales: an id for one sale, otherwise a list. */
export const SaleArguments = Schema.Struct({
  sale_id: Schema.optionalKey(uuid.annotate({ description: "Without it, a list" })),
  post_id: Schema.optionalKey(PostIdArgument),
  from: Schema.optionalKey(textArgument(10, "First day, such as 2026-11-01")),
  to: Schema.optionalKey(textArgument(10, "Last day")),
  cursor: Schema.optionalKey(textArgument(200, "pagination.nextCursor of the page before")),
  limit: Schema.optionalKey(
    Whole.check(Schema.isBetween(SALES_LIMIT)).annotate({ description: `Default ${SALES_DEFAULT}` })
  ),
  section: Schema.optionalKey(Schema.Literals(["free", "paid"]).annotate({ description: "Default paid" })),
  offset: Schema.optionalKey(Offset),
  max_bytes: Schema.optionalKey(MaxBytes)
})
export type SaleArguments = typeof SaleArguments.Type

// Amounts are in raw, and in XNO under names that end in Xno.
const SoldPost = Schema.Record(Schema.String, Schema.String).annotate({
  description:
    "id, postId, amountRaw, amountXno, authorRaw, authorXno, transaction, soldAt, refundedRaw, refundedXno"
})
export type SoldPost = typeof SoldPost.Type

export const SaleResult = Schema.Struct({
  sales: Schema.NullOr(Schema.Array(SoldPost)),
  pagination: Schema.NullOr(Paging),
  sale: Schema.NullOr(SoldPost),
  snapshot: Schema.NullOr(
    Schema.Struct({
      title: Schema.String,
      contentSha256: Schema.String,
      attachments: Schema.Array(
        Schema.Struct({ fileName: Schema.String, byteSize: Whole, sha256: nullableText })
      )
    })
  ),
  content: Schema.NullOr(
    Schema.Struct({
      section: Schema.Literals(["free", "paid"]),
      markdown: Schema.String,
      nextOffset: Schema.NullOr(Whole)
    })
  )
})
export type SaleResult = typeof SaleResult.Type

const sale = strictTool("svc_sale_snapshot", "Sales and Posts as they were sold", {
  description: "List your sales, or read one of them with your own text as it was sold.",
  hints: READS,
  parameters: SaleArguments,
  success: SaleResult
})

/** The toolset of buyers, and of sellers who read their sales. */
export const PurchaseToolkit = Toolkit.make(buy, status, download, extract, sale)
