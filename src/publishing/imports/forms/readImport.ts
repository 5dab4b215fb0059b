import { Effect } from "effect"
import { ImportFailure, type ReadImport } from "../ImportedItem.ts"

/** Recognizes a file and reads its items. */
export const readImport: ReadImport = () =>
  Effect.fail(
    new ImportFailure({ code: "unknown_form", message: "The file is of no form that is read here." })
  )
