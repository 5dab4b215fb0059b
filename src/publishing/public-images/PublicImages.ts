import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { FACE_WIDTH } from "../../../schemas/publishing/uploads/limits.ts"
import {
  type ByteRange,
  type ObjectKey,
  type ObjectNotFound,
  ObjectStorage,
  type StorageUnavailable,
  type StoredObject
} from "../../platform/ports/ObjectStorage.ts"
import { publicPath, variantPath } from "../uploads/operation/objectKeys.ts"
import { publicImageStatements } from "./publicImages.sql.ts"

/** An image as its URL names it. */
export interface NamedImage {
  readonly operationId: UploadOperationId
  /** Pixels of a smaller copy; undefined for the image itself. */
  readonly width: number | undefined
  /** The path of the request. */
  readonly path: string
}

/** An image that the public may see. */
export interface PublicImage {
  readonly key: ObjectKey
  /** Bytes. */
  readonly size: number
  /** Pixels of a smaller copy; undefined for the image itself. */
  readonly width: number | undefined
}

/**
 * Public copies of images (spec 4.4). Each read asks the database: a rejection, a hold or a cancellation takes effect at
 * once, even while copies still wait to be removed.
 */
export class PublicImages extends Context.Service<
  PublicImages,
  {
    /** Finds the image of a path; none when the public may not see it. */
    readonly find: (image: NamedImage) => Effect.Effect<Option.Option<PublicImage>>
    /** Opens an image, or a part of it, for as long as the scope lasts. */
    readonly open: (
      image: PublicImage,
      range: ByteRange | undefined
    ) => Effect.Effect<StoredObject, ObjectNotFound | StorageUnavailable, Scope.Scope>
  }
>()("pennypress/publishing/public-images/PublicImages") {
  static readonly layer = Layer.effect(
    PublicImages,
    Effect.gen(function* () {
      const images = yield* publicImageStatements
      const storage = yield* ObjectStorage

      return PublicImages.of({
        find: Effect.fn("PublicImages.find")(function* ({ operationId, path, width }) {
          const row = yield* images.find(operationId)
          if (Option.isNone(row)) return Option.none()
          const { format, is_avatar, public_size, variants } = row.value
          const copy = publicPath({ id: operationId }, format)
          const whole = { key: copy, size: public_size, width: undefined }
          if (width === undefined) return copy === path ? Option.some(whole) : Option.none()
          const key = variantPath(copy, width)
          const size = variants?.[width]
          if (key !== path) return Option.none()
          if (size !== undefined) return Option.some({ key, size, width })
          // Pages name the copy of a face before they know that there is one.
          return is_avatar && width === FACE_WIDTH ? Option.some(whole) : Option.none()
        }),
        open: ({ key }, range) => storage.get(key, { range })
      })
    })
  )
}
