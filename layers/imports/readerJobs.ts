import * as Schema from "effect/Schema"
import {
  ImportFailureCode,
  ImportKind,
  type ImportOptions
} from "../../src/publishing/imports/ImportedItem.ts"

/** A question to the process that has a file open. */
export type ReaderQuestion =
  | { readonly ask: "open"; readonly path: string; readonly fileName: string }
  | { readonly ask: "read"; readonly options: ImportOptions; readonly now: number }
  | {
      readonly ask: "next"
      /** The ordinal of the first item that is wanted. Those before it are not converted. */
      readonly from: number
      /** Ordinals of items that take too long. They are refused, and not converted. */
      readonly slow: ReadonlyArray<number>
      /** True to get one item alone, so that a late answer says which item takes too long. */
      readonly isSingle: boolean
    }
  | { readonly ask: "entry"; readonly name: string; readonly maxBytes: number }

/**
 * Schema of an answer of the process, which a file may have taken over. Values and bytes are in base64, because answers have
 * no characters beyond ASCII.
 */
export const ReaderAnswer = Schema.Union([
  Schema.Struct({ opened: Schema.Literal(true) }),
  Schema.Struct({
    reading: Schema.Struct({ kind: ImportKind, site: Schema.String, total: Schema.NullOr(Schema.Int) })
  }),
  /** The next items as JSON; none at the end. */
  Schema.Struct({ items: Schema.String, isEnd: Schema.Boolean }),
  Schema.Struct({ bytes: Schema.String }),
  Schema.Struct({ failure: Schema.Struct({ code: ImportFailureCode, message: Schema.String }) })
])
export type ReaderAnswer = typeof ReaderAnswer.Type

/** Characters of an answer, at most: one item with its pictures, or an entry, in base64 twice. */
export const ANSWER_LENGTH_MAX = 48 * 1024 * 1024

/** Items of an answer, and their characters as JSON from which an answer ends. */
export const BATCH_ITEMS_MAX = 100
export const BATCH_LENGTH_MAX = 2 * 1024 * 1024
/** Time from which an answer ends, so that its deadline is one for a single item. */
export const BATCH_MILLIS = 2_000
/** Time for an item. One that takes longer is refused. */
export const ITEM_MILLIS = 5_000

/** Characters of pictures within the text of one item, at most; more of them are missing. */
export const DATA_LENGTH_MAX = 16 * 1024 * 1024

/** Characters of the message of a failure, at most. */
export const MESSAGE_LENGTH_MAX = 500
