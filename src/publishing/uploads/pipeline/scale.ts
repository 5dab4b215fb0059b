import { Effect } from "effect"
import { FACE_WIDTH, VARIANT_WIDTHS } from "../../../../schemas/publishing/uploads/limits.ts"
import { ImageDecoder, type ScaledImage } from "../../../platform/ports/ImageDecoder.ts"
import { ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { makeImageReader } from "../../image-formats/imageReader.ts"
import { ScreeningBroke, ScreeningWaits } from "../../screening/verdict.ts"
import { makeCleanUpLateFile } from "../operation/lateFile.ts"
import { publicPath, variantPath } from "../operation/objectKeys.ts"
import type { Operation } from "../operation/operation.ts"
import { operationStatements } from "../operation/operations.sql.ts"
import type { Variants } from "../operation/settlement.ts"

const WEBP = "image/webp"

const broke = (cause: unknown) =>
  new ScreeningBroke({ reason: "unsupported or incomplete inspection", cause })

const waits = (cause: unknown) => new ScreeningWaits({ reason: "unavailable inspection", cause })

/**
 * Makes the smaller copies of a cleared image from its public copy. They are beside it before its row names them, and are
 * removed with it.
 */
export const makeScale = Effect.gen(function* () {
  const decoder = yield* ImageDecoder
  const storage = yield* ObjectStorage
  const readImage = yield* makeImageReader
  const operations = yield* operationStatements
  const transactions = yield* Transactions
  const cleanUpLateFile = yield* makeCleanUpLateFile

  /** Returns a copy that is a plain WebP of its width: an image may have taken over the process that made the copy. */
  const checked = Effect.fnUntraced(function* ({ owner_id }: Operation, { webp, width }: ScaledImage) {
    const sent = { parts: [webp], mediaType: WEBP }
    const { bytes, container, copy } = yield* Effect.mapError(readImage(owner_id, sent), broke)
    return container.width === width && container.frames === 1 && copy === undefined
      ? bytes
      : yield* broke(new Error("A smaller copy is not the WebP that it should be"))
  })

  const record = Effect.fnUntraced(
    function* (operation: Operation, variants: Variants) {
      const isOurs = yield* operations.apply(operation, { type: "scaled", variants })
      if (!isOurs) yield* cleanUpLateFile(operation.id, yield* now)
    },
    (recording) => transactions.run(recording)
  )

  return Effect.fn("Uploads.scale")(function* (operation: Operation) {
    const { format } = operation
    if (format === null || format === "zip")
      return yield* Effect.die(new Error("Nothing was received to scale"))
    const path = publicPath(operation, format)
    const widths = operation.target_kind === "avatar" ? [FACE_WIDTH, ...VARIANT_WIDTHS] : VARIANT_WIDTHS
    const scaled = yield* Effect.catchTags(decoder.scale(yield* storage.read(path), format, widths), {
      ImageUnreadable: (cause) => Effect.fail(broke(cause)),
      ImageDecodingFailed: (cause) => Effect.fail(broke(cause)),
      ImageDecoderUnavailable: (cause) => Effect.fail(waits(cause))
    })
    const variants: Record<number, number> = {}
    for (const copy of scaled) {
      const bytes = yield* checked(operation, copy)
      const { size } = yield* storage.put(variantPath(path, copy.width), bytes, { contentType: WEBP })
      variants[copy.width] = size
    }
    yield* record(operation, variants)
  })
})
