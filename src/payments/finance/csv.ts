import { addressOfPublicKey, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { ReceivedRow } from "./received.sql.ts"

/** The names of the columns. */
export const CSV_HEADER = [
  "time",
  "kind",
  "id",
  "post_id",
  "post_title",
  "amount_raw",
  "amount_xno",
  "author_raw",
  "platform_raw",
  "payer",
  "buyer_handle",
  "pay_to",
  "transaction",
  "channel",
  "late",
  "refunded_raw",
  "matched_by",
  "version_sha256"
]

/** Returns the cells of a payment, in the order of the columns. */
export const csvCellsOf = (row: ReceivedRow): ReadonlyArray<string> => [
  row.confirmed_at,
  row.kind === "purchase" ? "sale" : "tip",
  row.id,
  row.post_id ?? "",
  row.title ?? "",
  row.amount_raw,
  xnoOfRaw(BigInt(row.amount_raw)),
  row.role === "author" ? row.allocated_raw : "0",
  row.role === "platform" ? row.allocated_raw : "0",
  addressOfPublicKey(row.payer_key),
  row.buyer_handle ?? "",
  row.address,
  row.block_hash,
  row.channel,
  String(row.late),
  row.refunded_raw,
  row.matched_by ?? "",
  row.version_sha256 ?? ""
]
