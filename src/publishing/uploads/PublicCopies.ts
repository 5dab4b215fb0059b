import { Context, Effect, Layer, Stream } from "effect"
import { PublicBaseUrl } from "../../../schemas/platform/errors/Problem.ts"
import type { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { type ImageFormat, imageFormats, mediaTypeOf } from "../../../schemas/publishing/uploads/limits.ts"
import { ObjectStorage, type StorageUnavailable } from "../../platform/ports/ObjectStorage.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import type { ImageContainer } from "../image-formats/container.ts"
import { publicPartsOf } from "../image-formats/publicCopy.ts"
import { publicPath } from "./objectKeys.ts"

/** Which image it is a copy of. */
export interface CopiedImage {
  readonly id: UploadOperationId
  readonly target_id: UploadTargetId
}

/** A copy by its URL, and its bytes. */
export interface PublicCopy {
  readonly public_url: string
  readonly public_size: number
}

/** The copies of images that everybody may be shown: without metadata, under a URL that never changes (specification 4.4). */
export class PublicCopies extends Context.Service<
  PublicCopies,
  {
    /** Makes the copy durable, over one that was there. It is shown once its operation has the URL. */
    readonly make: (
      image: CopiedImage,
      bytes: Uint8Array,
      container: ImageContainer
    ) => Effect.Effect<PublicCopy, StorageUnavailable>
    /** Removes the copy, of any format for null; it may be gone, or may never have been made. */
    readonly remove: (
      image: CopiedImage,
      format: ImageFormat | null
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("pennypress/publishing/uploads/PublicCopies") {
  static readonly layer = Layer.effect(
    PublicCopies,
    Effect.gen(function* () {
      const storage = yield* ObjectStorage
      const base = (yield* Settings).mediaBaseUrl ?? (yield* PublicBaseUrl)

      return PublicCopies.of({
        make: Effect.fn("PublicCopies.make")(function* (image, bytes, container) {
          const { format } = container
          const path = publicPath(image, format)
          const parts = Stream.fromIterable(publicPartsOf(bytes, container))
          const { size } = yield* storage.put(path, parts, { contentType: mediaTypeOf[format] })
          return { public_url: `${base}/${path}`, public_size: size }
        }),
        remove: Effect.fn("PublicCopies.remove")(function* (image, format) {
          const formats = format === null ? imageFormats : [format]
          for (const it of formats) yield* storage.remove(publicPath(image, it))
        })
      })
    })
  )
}
