import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import {
  type ByteRange,
  type ObjectKey,
  type ObjectNotFound,
  ObjectStorage,
  type StorageUnavailable,
  type StoredObject
} from "../../platform/ports/ObjectStorage.ts"
import { publicPath } from "../uploads/operation/objectKeys.ts"
import { MediaRepo } from "./MediaRepo.ts"

/** An image as its URL names it. */
export interface NamedImage {
  readonly targetId: UploadTargetId
  readonly operationId: UploadOperationId
  /** The path that it is asked for at. */
  readonly path: string
}

/** An image that everybody may be shown. */
export interface PublicImage {
  readonly key: ObjectKey
  /** Bytes. */
  readonly size: number
}

/**
 * Public images (specification 4.4). Whether one may be shown is asked of the database each time, so that a rejection, a
 * hold or a cancellation is at once, whatever copies are still to be removed.
 */
export class Media extends Context.Service<
  Media,
  {
    /** The image of a path; none when nobody may be shown it. */
    readonly find: (image: NamedImage) => Effect.Effect<Option.Option<PublicImage>>
    /** Opens an image, or a part of it, for as long as the scope lasts. */
    readonly open: (
      image: PublicImage,
      range: ByteRange | undefined
    ) => Effect.Effect<StoredObject, ObjectNotFound | StorageUnavailable, Scope.Scope>
  }
>()("pennypress/publishing/public-images/Media") {
  static readonly layer = Layer.effect(
    Media,
    Effect.gen(function* () {
      const repo = yield* MediaRepo
      const storage = yield* ObjectStorage

      return Media.of({
        find: Effect.fn("Media.find")(function* ({ operationId, path, targetId }) {
          const row = yield* repo.find(targetId, operationId)
          if (Option.isNone(row)) return Option.none()
          const { format, public_size } = row.value
          const key = publicPath({ id: operationId, target_id: targetId }, format)
          return key === path ? Option.some({ key, size: public_size }) : Option.none()
        }),
        open: ({ key }, range) => storage.get(key, { range })
      })
    })
  )
}
