import { Effect } from "effect"
import { mediaTypeOf } from "../../../../schemas/publishing/uploads/limits.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { makeImageReader } from "../../image-formats/imageReader.ts"
import { makeKeptFiles } from "../admission/keptFiles.ts"
import { makeStagedFiles } from "../admission/stagedFile.ts"
import { makeCleanUpLateFile } from "../operation/lateFile.ts"
import { type Operation, transition } from "../operation/operation.ts"
import { makePlaces } from "../operation/places.ts"
import type { PublicCopy } from "../operation/settlement.ts"

/** Makes the public copy of an image that was received without one, and places it as an admission does. */
export const makePublishCopy = Effect.gen(function* () {
  const places = yield* makePlaces
  const files = yield* makeStagedFiles
  const kept = yield* makeKeptFiles
  const readImage = yield* makeImageReader
  const transactions = yield* Transactions
  const cleanUpLateFile = yield* makeCleanUpLateFile

  const record = Effect.fnUntraced(
    function* (operation: Operation, copy: PublicCopy) {
      const url = yield* places.lock(operation)
      const at = yield* now
      const settlement = transition(operation, { type: "published", at, copy })
      const isOurs =
        settlement !== undefined && (yield* Effect.orDie(places.settle(operation, settlement, { url, at })))
      if (!isOurs) yield* cleanUpLateFile(operation.id, at)
    },
    (recording) => transactions.run(recording)
  )

  return Effect.fn("Uploads.publishCopy")(function* (operation: Operation) {
    if (operation.format === null || operation.format === "zip")
      return yield* Effect.die(new Error("Nothing was received to publish"))
    const bytes = yield* files.read(operation)
    const sent = { parts: [bytes], mediaType: mediaTypeOf[operation.format] }
    // The same bytes were read when the image was received.
    const image = yield* Effect.orDie(readImage(operation.owner_id, sent))
    yield* record(operation, yield* kept.copyImage(operation, image))
  })
})
