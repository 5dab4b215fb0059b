import { addressOfPublicKey, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { ReceivedRow } from "./received.sql.ts"

/**
 * Spreadsheet programs treat a cell that begins with one of these as a formula, and run it. Some separate cells by
 * semicolons, even within quotes, and some accept the wide forms of these signs.
 */
const FORMULA = /(^|;)(?=[=+\-@\t\r\n＝＋－＠])/gu

/** Returns a cell in the form of RFC 4180. A quote mark before a formula makes it text. */
const cellOf = (value: string): string => {
  const text = value.replaceAll(FORMULA, "$1'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns a line of a table. */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(cellOf).join(",")}\r\n`

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
