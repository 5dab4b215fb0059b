import { Context, Effect, Layer } from "effect"
import { later, now } from "../../platform/time/now.ts"
import { makeImportFiles } from "./importFiles.ts"
import type { ImportRow } from "./importRow.ts"
import { importStatements } from "./imports.sql.ts"
import { makeReadFile } from "./readFile.ts"

/** Time after which an import is tried again that waits for the store or the reader. */
const RETRY_MILLIS = 10_000

/** The steps of imports that a worker takes under a lease: to read a file, to work on items, to remove what was stored. */
export class ImportSteps extends Context.Service<
  ImportSteps,
  {
    /** Takes the next step of a claimed import. An import that its author cancels meanwhile stays as it is. */
    readonly step: (row: ImportRow) => Effect.Effect<void>
  }
>()("pennypress/publishing/imports/ImportSteps") {
  static readonly layer = Layer.effect(
    ImportSteps,
    Effect.gen(function* () {
      const imports = yield* importStatements
      const files = yield* makeImportFiles
      const readFile = yield* makeReadFile

      const remove = Effect.fnUntraced(function* (row: ImportRow) {
        yield* files.removeAll(row.id)
        yield* imports.forget(row)
      })

      const steps = Effect.fnUntraced(function* (row: ImportRow) {
        if (row.state === "reading") yield* readFile(row)
        else if (row.state === "removing") yield* remove(row)
      })

      return ImportSteps.of({
        step: Effect.fn("ImportSteps.step")((row) =>
          steps(row).pipe(
            Effect.catchTags({
              LeaseLost: () => Effect.void,
              ImportReaderUnavailable: Effect.fnUntraced(function* ({ cause }) {
                yield* Effect.logWarning("The reader of imports does not start", cause)
                yield* imports.release(row, later(yield* now, RETRY_MILLIS))
              }),
              StorageUnavailable: Effect.fnUntraced(function* ({ cause }) {
                yield* Effect.logWarning("An import waits for the store", cause)
                yield* imports.release(row, later(yield* now, RETRY_MILLIS))
              })
            })
          )
        )
      })
    })
  )
}
