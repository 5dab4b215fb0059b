import { Effect } from "effect"
import { ImportFailure, type ImportFailureCode, type ImportFile } from "../../ImportedItem.ts"
import { decodedText, type DecodedText } from "./text.ts"

/** Bytes of a text within a file, and of the source of one post, at most. */
export const TEXT_BYTES_MAX = 8 * 1024 * 1024
export const SOURCE_CHARS_MAX = 2 * 1024 * 1024
/** Items of one file, at most. */
export const ITEMS_MAX = 100_000

export const failure = (code: ImportFailureCode, message: string): ImportFailure =>
  new ImportFailure({ code, message })

/** Reads a text of a file. */
export const textOf = (
  file: ImportFile,
  name: string,
  maxBytes = TEXT_BYTES_MAX
): Effect.Effect<DecodedText, ImportFailure> => Effect.map(file.bytes(name, maxBytes), decodedText)
