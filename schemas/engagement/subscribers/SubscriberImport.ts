import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { SubscriberImportId } from "../../platform/Ids.ts"
import { atLeast, atMost, Text, visibleLine, visibleProse } from "../../platform/Text.ts"

/** Maximum number of readers of a list. */
export const IMPORT_ROWS_MAX = 10_000
/** Characters of a list, at most. The body of the request has at most 1 MiB. */
export const IMPORT_CHARS_MAX = 1024 * 1024
/** Kibibytes of the request, at most. */
export const IMPORT_KIBIBYTES_MAX = 1024
/** Characters of the place from which the readers come. */
export const IMPORT_SOURCE_MAX = 100
/** Characters of the statement about their consent. */
export const STATEMENT_MIN = 20
export const STATEMENT_MAX = 500

/** A list of readers that an author brings from elsewhere. */
export const NewSubscriberImport = Schema.Struct({
  /** A table with a column of addresses, or one address on each line. */
  csv: Text.check(atMost(IMPORT_CHARS_MAX)),
  /** The place from which the readers come. */
  source: visibleLine(IMPORT_SOURCE_MAX),
  consent: Schema.Struct({
    /** When and how the readers agreed to get the posts. */
    statement: visibleProse(STATEMENT_MAX).check(atLeast(STATEMENT_MIN)),
    /** The author states that it is true. */
    attested: Schema.Literal(true)
  })
}).annotate({ identifier: "NewSubscriberImport" })
export type NewSubscriberImport = typeof NewSubscriberImport.Type

/**
 * The reason why a row brought no reader. `invalid`: it has no address. `repeated`: an earlier row has the same mailbox.
 * `unsubscribed`: the reader left. `bounced`: mail did not arrive, or the reader complained. `unconfirmed`: the reader never
 * confirmed.
 */
export const RefusalCode = Schema.Literals(["invalid", "repeated", "unsubscribed", "bounced", "unconfirmed"])
export type RefusalCode = typeof RefusalCode.Type

export const RefusedRow = Schema.Struct({ line: Schema.Int, code: RefusalCode })
export type RefusedRow = typeof RefusedRow.Type

/** The outcome of an import. `known` are rows of readers who are on the list of the author, or were. */
export const SubscriberImport = Schema.Struct({
  id: SubscriberImportId,
  rows: Schema.Int,
  accepted: Schema.Int,
  known: Schema.Int,
  refused: Schema.Array(RefusedRow)
})
  .annotate({ identifier: "SubscriberImport" })
  .pipe(HttpApiSchema.status(201))
export type SubscriberImport = typeof SubscriberImport.Type
