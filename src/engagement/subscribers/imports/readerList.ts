import { Effect, Option, Schema, Stream } from "effect"
import { Csv } from "effect/encoding"
import {
  IMPORT_ROWS_MAX,
  type RefusalCode,
  type RefusedRow
} from "../../../../schemas/engagement/subscribers/SubscriberImport.ts"
import { type EmailAddress, EmailAddressInput, mailboxOf } from "../../../../schemas/platform/EmailAddress.ts"
import { Validation } from "../../../../schemas/platform/errors/common.ts"
import { columnsOf, refusalOf } from "./columns.ts"

/** A reader of a list. One who left or cannot be reached is saved with the end, so that no later list brings them back. */
interface ListedReader {
  readonly email: EmailAddress
  readonly state: "pending" | "ended" | "bounced"
}

/** A list of readers as it was read. */
export interface ReaderList {
  /** Rows that are not empty, without the names of the columns. */
  readonly rows: number
  readonly readers: ReadonlyArray<ListedReader>
  readonly refused: ReadonlyArray<RefusedRow>
}

const decodeAddress = Schema.decodeUnknownOption(EmailAddressInput)

/** Exports of this service write a quote mark before a cell that a spreadsheet would run. */
const addressOf = (cell = "") => decodeAddress(cell.trim().replace(/^'(?=[=+-])/, ""))

const wrong = (code: string, message: string) => new Validation({ errors: [{ field: "csv", code, message }] })

/** Counts the line ends within cells, so that each row knows its line. */
const breaksOf = (row: Csv.Row) =>
  row.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0)

const isEmpty = (row: Csv.Row) => row.every((cell) => cell.trim() === "")

/** Returns the sign that separates the cells of a table: spreadsheets also write semicolons and tabs. */
const delimiterOf = (csv: string) => {
  const [head = ""] = csv.split(/[\r\n]/, 1)
  const count = (sign: string) => head.split(sign).length
  return [",", ";", "\t"].reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}

const endOf = (code: RefusalCode): ListedReader["state"] | undefined =>
  code === "unsubscribed" ? "ended" : code === "bounced" ? "bounced" : undefined

/** Sorts the rows of a list. Of several rows with one mailbox, the first counts. */
const sorted = (table: ReadonlyArray<{ readonly line: number; readonly row: Csv.Row }>, head: Csv.Row) => {
  const columns = columnsOf(head)
  const readers: Array<ListedReader> = []
  const refused: Array<RefusedRow> = []
  const mailboxes = new Set<string>()
  for (const { line, row } of table) {
    const email = addressOf(row[columns.email])
    if (Option.isNone(email)) {
      refused.push({ line, code: "invalid" })
      continue
    }
    const mailbox = mailboxOf(email.value)
    const code = mailboxes.has(mailbox) ? "repeated" : refusalOf(row, columns)
    mailboxes.add(mailbox)
    if (code !== undefined) refused.push({ line, code })
    const state = code === undefined ? "pending" : endOf(code)
    if (state !== undefined) readers.push({ email: email.value, state })
  }
  return { rows: table.length, readers, refused }
}

/**
 * Reads a list of readers: an export of Substack, Ghost, Buttondown, Mailchimp or this service, another table with a column of
 * addresses, or one address on each line. Fails with `Validation` for a text that is no such list, and for too many rows.
 */
export const readReaderList = Effect.fnUntraced(function* (
  csv: string
): Effect.fn.Return<ReaderList, Validation> {
  const rows = yield* Stream.make(csv).pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ delimiter: delimiterOf(csv) })),
    Stream.runCollect,
    Effect.mapError(({ line }) =>
      wrong("invalid", `The table is damaged at line ${line}: a quotation mark is missing or too many`)
    )
  )
  let line = 1
  const table = []
  for (const row of rows) {
    if (!isEmpty(row)) table.push({ line, row })
    line += 1 + breaksOf(row)
  }
  const [first, ...rest] = table
  if (first === undefined) return yield* wrong("required", "The list is empty")
  const place = first.row.findIndex((cell) => Option.isSome(addressOf(cell)))
  const isNamed = place === -1
  // A list without names of columns: the column of its first address counts.
  const head = isNamed ? first.row : first.row.map((_, at) => (at === place ? "email" : ""))
  if (columnsOf(head).email === -1)
    return yield* wrong(
      "no_addresses",
      "Name the column of the addresses “email”, or send one address on each line"
    )
  const entries = isNamed ? rest : table
  if (entries.length === 0) return yield* wrong("required", "The list has no rows")
  if (entries.length > IMPORT_ROWS_MAX)
    return yield* wrong("too_many", `Send at most ${IMPORT_ROWS_MAX} rows: split the list`)
  return sorted(entries, head)
})
