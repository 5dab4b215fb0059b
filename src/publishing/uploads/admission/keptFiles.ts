import { Effect, Stream } from "effect"
import {
  FACE_WIDTH,
  type ImageFormat,
  imageFormats,
  mediaTypeOf,
  VARIANT_WIDTHS
} from "../../../../schemas/publishing/uploads/limits.ts"
import { type ObjectKey, ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"
import type { ReadImage } from "../../image-formats/imageTasks.ts"
import { keptPath, publicPath, stagingKey, variantPath } from "../operation/objectKeys.ts"
import type { Operation } from "../operation/operation.ts"
import type { PublicCopy } from "../operation/settlement.ts"
import { isAttachment } from "../operation/target.ts"

/** Image of a public copy. */
type CopiedImage = Pick<Operation, "id">

/** The durable object of a staged file. */
export interface StagedObject {
  readonly key: ObjectKey
  readonly contentType: string
}

/** The objects that stay: public copies of images without metadata (spec 4.4), and the files of buyers. */
export const makeKeptFiles = Effect.gen(function* () {
  const storage = yield* ObjectStorage

  /**
   * Removes the public copy, in every format when the format is null, and the smaller copies. Succeeds when there is none.
   */
  const removeCopies = Effect.fnUntraced(function* (image: CopiedImage, format: ImageFormat | null) {
    for (const it of format === null ? imageFormats : [format]) {
      yield* storage.remove(publicPath(image, it))
    }
    for (const width of [FACE_WIDTH, ...VARIANT_WIDTHS])
      yield* storage.remove(variantPath(publicPath(image, "webp"), width))
  })

  return {
    /**
     * Makes the public copy of an image, replacing any earlier one. The copy becomes visible when its operation records
     * the URL. With `staged`, an image of nothing to strip shares that object.
     */
    copyImage: Effect.fn("KeptFiles.copyImage")(function* (
      image: CopiedImage,
      { bytes, container: { format }, copy }: ReadImage,
      staged?: StagedObject
    ) {
      const path = publicPath(image, format)
      const contentType = mediaTypeOf[format]
      const publicCopy = (size: number): PublicCopy => ({ public_url: `/${path}`, public_size: size })
      if (copy === undefined && staged?.contentType === contentType) {
        yield* Effect.catchTag(storage.copy(staged.key, path), "ObjectNotFound", Effect.die)
        return publicCopy(bytes.length)
      }
      const body = copy === undefined ? bytes : Stream.fromArray(copy)
      const { size } = yield* storage.put<never, never>(path, body, { contentType })
      return publicCopy(size)
    }),
    /** Makes the file of buyers of a cleared attachment. One that was screened again has it already. */
    copyArchive: Effect.fn("KeptFiles.copyArchive")(function* (operation: Operation) {
      if (!isAttachment(operation) || operation.staged_bytes === 0) return
      const staged = stagingKey(operation.id, operation.upload_attempts)
      yield* storage.copy(staged, keptPath(operation, "zip"))
    }),
    /** Removes the object of an operation, if there is one. */
    remove: Effect.fn("KeptFiles.remove")(function* (operation: Operation) {
      if (isAttachment(operation)) yield* storage.remove(keptPath(operation, "zip"))
      else yield* removeCopies(operation, operation.format === "zip" ? null : operation.format)
    }),
    /** Removes the public copy of an image in all formats. */
    removeAny: (operation: Operation) => removeCopies(operation, null)
  }
})
