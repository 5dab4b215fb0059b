import { Effect, Result, Stream } from "effect"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { later, now, wireTime } from "../../../platform/time/now.ts"
import { LeaseLost } from "../../../platform/work/lease.ts"
import { ImportFailure } from "../ImportedItem.ts"
import { ImportReader } from "../ImportReader.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import type { ImportRow } from "../rows/importRow.ts"
import { importStatements } from "../rows/imports.sql.ts"
import { lifetimeMillis } from "../rows/importState.ts"
import { makeItemCounts } from "../rows/itemCounts.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { skippedLine } from "../rows/reportLines.ts"
import { LEASE_MILLIS, makeStaying } from "./staying.ts"
import { makeWriteItems } from "./writeItems.ts"

/** Items of a file, at most. */
const ITEMS_MAX = 100_000

/** Time for the reading of a file, over all attempts. */
export const READING_MILLIS = 15 * 60_000

/** Attempts at a file whose reader crashes. */
const ATTEMPTS_MAX = 3

/** Makes the step that reads the file of an import and writes its items. */
export const makeReadFile = Effect.gen(function* () {
  const imports = yield* importStatements
  const items = yield* itemStatements
  const writeItems = yield* makeWriteItems
  const countItems = yield* makeItemCounts
  const files = yield* makeImportFiles
  const reader = yield* ImportReader
  const transactions = yield* Transactions
  const staying = yield* makeStaying

  /** Ends the reading. An import without an item has failed. */
  const end = Effect.fnUntraced(
    function* (row: ImportRow, failure: ImportFailure | undefined) {
      yield* items.skipEarlier(row.id, skippedLine("duplicate_source_id"))
      const counted = yield* countItems(row.id)
      const counts = { ...counted, lines: row.counts.lines }
      const error =
        failure ??
        (counts.items === 0 ? new ImportFailure({ code: "empty", message: "The file has no post." }) : null)
      const state = counts.items === 0 ? "failing" : "review"
      const at = yield* now
      const isOurs = yield* imports.ended(
        { lease: row, dueAt: at },
        {
          state,
          counts,
          error: error === null ? null : { code: error.code, message: error.message, at: wireTime(at) },
          expiresAt: later(at, lifetimeMillis(state === "failing" ? "failed" : state))
        }
      )
      if (!isOurs) return yield* new LeaseLost()
    },
    (ending) => transactions.run(ending)
  )

  /** Fails once the time for the reading of a file is over. */
  const inTime = Effect.fnUntraced(function* ({ began_at }: ImportRow) {
    if ((yield* now).getTime() - began_at.getTime() >= READING_MILLIS)
      return yield* new ImportFailure({
        code: "too_large",
        message: "The file takes more than 15 minutes to read. Export fewer posts at a time."
      })
  })

  const read = Effect.fnUntraced(function* (row: ImportRow) {
    yield* inTime(row)
    const file = yield* reader.open(row.file_name, files.bytes(row.id))
    if (file.byteSize !== row.byte_size)
      return yield* new ImportFailure({
        code: "damaged",
        message: "Parts of the file are missing here. Delete the import and send the file again."
      })
    const { kind, ...options } = row.options
    const reading = yield* file.read(
      {
        kind,
        include: options.include ?? [],
        membersOnly: options.membersOnly ?? "paid",
        canonical: options.canonical
      },
      row.began_at.getTime()
    )
    const dueAt = later(yield* now, LEASE_MILLIS)
    const found = { kind: reading.kind, site: reading.site, total: reading.total, sha256: file.sha256 }
    if (!(yield* imports.recognize({ lease: row, dueAt }, found))) return yield* new LeaseLost()
    let { counts, images } = row
    const from = (yield* items.written(row.id)).items
    yield* Stream.runForEach(
      // The next items are read while these are written.
      Stream.buffer(reading.items(from), { capacity: 1 }),
      Effect.fnUntraced(function* (batch) {
        yield* inTime(row)
        if (counts.items + batch.length > ITEMS_MAX)
          return yield* new ImportFailure({
            code: "too_many",
            message: `The file has more than ${ITEMS_MAX} posts. Export fewer posts at a time.`
          })
        const written = yield* writeItems(row, batch, counts, images)
        counts = written.counts
        images = written.images
      })
    )
  }, Effect.scoped)

  /**
   * Reads the file of an import from the first item that is not written yet. Fails with `LeaseLost` when its author cancels
   * it. A file that is damaged in the middle is read up to there.
   */
  return Effect.fn("Imports.readFile")(function* (row: ImportRow) {
    const outcome = yield* Effect.result(
      Effect.catchTag(staying(row)(read(row)), "ImportReaderLost", ({ detail, reason }) =>
        // Another attempt may succeed after a crash; an item that takes too long takes as long again.
        reason === "deadline" || row.attempts >= ATTEMPTS_MAX
          ? Effect.fail(
              new ImportFailure({
                code: "damaged",
                message:
                  "The file could not be read beyond this place: a post in it takes too long or too much memory."
              })
            )
          : Effect.die(new Error(`The reader of imports was lost: ${detail}`))
      )
    )
    if (Result.isSuccess(outcome)) return yield* end(row, undefined)
    if (outcome.failure._tag === "ImportFailure") return yield* end(row, outcome.failure)
    return yield* outcome.failure
  })
})
