import type { Purchase } from "../../../schemas/payments/purchases/Purchase.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { csvLine } from "../../platform/csv/csvLine.ts"

/** The names of the columns of a table of purchases. */
export const PURCHASES_CSV_HEADER: string = csvLine([
  "time",
  "id",
  "post_id",
  "post_title",
  "author_handle",
  "amount_raw",
  "amount_xno",
  "payer",
  "pay_to",
  "transaction",
  "channel",
  "state",
  "duplicate",
  "refunded_raw",
  "version_sha256",
  "access_url"
])

/** Returns a purchase as a line of a table. */
export const purchaseCsvLine = (it: Purchase): string =>
  csvLine([
    it.purchasedAt,
    it.id,
    it.postId,
    it.post.title,
    it.post.author.handle,
    it.amountRaw,
    xnoOfRaw(BigInt(it.amountRaw)),
    it.payer,
    it.payTo,
    it.transaction,
    it.channel,
    it.state,
    String(it.duplicate),
    it.refundedRaw,
    it.versionSha256 ?? "",
    it.accessUrl
  ])
