import { Effect, Option } from "effect"
import { Validation } from "../../../../schemas/platform/errors/common.ts"
import { mediaTypeOf } from "../../../../schemas/publishing/uploads/limits.ts"
import { ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"
import { makeImageReader } from "../../image-formats/imageReader.ts"
import type { ReadImage } from "../../image-formats/imageTasks.ts"
import { joined } from "../../image-formats/shared/bytes.ts"
import type { ImageRefusal } from "../../image-formats/shared/refusal.ts"
import { formatOfMediaType } from "../../image-formats/sniff.ts"
import { stagingKey } from "../operation/objectKeys.ts"
import type { Operation } from "../operation/operation.ts"
import type { PublicCopy, ReceivedFile } from "../operation/settlement.ts"
import type { FileKind } from "./fileKind.ts"
import { makeKeptFiles, type StagedObject } from "./keptFiles.ts"
import { sentTypeOf, typeRefusal } from "./mediaType.ts"

/** Media type of a staged file whose format shows only in its bytes. Readers never get staged files. */
const UNKNOWN_TYPE = "application/octet-stream"

/** Images: their container is read whole, and their public copy is made at once (spec 4.4). */
export const makeImageKind = Effect.gen(function* () {
  const storage = yield* ObjectStorage
  const kept = yield* makeKeptFiles
  const readImage = yield* makeImageReader

  /** Reads a whole image. */
  const read = (operation: Operation, parts: ReadonlyArray<Uint8Array>, mediaType: string) =>
    Effect.mapError(
      readImage(operation.owner_id, { parts, mediaType: sentTypeOf(mediaType, beginningOf(parts)) }),
      refused
    )

  /** Makes the public copy. An image without one now is received all the same. */
  const publicCopy = (operation: Operation, image: ReadImage, staged?: StagedObject) =>
    Effect.map(Effect.option(kept.copyImage(operation, image, staged)), Option.getOrNull)

  const stagedType = (mediaType: string) => {
    const format = formatOfMediaType(mediaType)
    return format === undefined ? UNKNOWN_TYPE : mediaTypeOf[format]
  }

  const kind: FileKind = {
    stagedType,
    refusal: (mediaType, firstBytes) => {
      const refusal = typeRefusal(mediaType, firstBytes)
      return refusal && refused(refusal)
    },
    keepCollected: Effect.fnUntraced(function* (operation, parts, mediaType) {
      const image = yield* read(operation, parts, mediaType)
      const key = stagingKey(operation.id, operation.upload_attempts)
      const contentType = mediaTypeOf[image.container.format]
      const stage = storage.put<never, never>(key, image.bytes, { contentType })
      if (image.copy === undefined) {
        yield* stage
        return received(image, yield* publicCopy(operation, image, { key, contentType }))
      }
      // A copy that differs has a file of its own, and both files reach the disk together.
      const [, copy] = yield* Effect.all([stage, publicCopy(operation, image)], { concurrency: 2 })
      return received(image, copy)
    }),
    keepStaged: Effect.fnUntraced(function* (operation, mediaType) {
      const key = stagingKey(operation.id, operation.upload_attempts)
      const staged = yield* Effect.catchTag(storage.read(key), "ObjectNotFound", Effect.die)
      const image = yield* read(operation, [staged], mediaType)
      const contentType = stagedType(mediaType)
      return received(image, yield* publicCopy(operation, image, { key, contentType }))
    }),
    places: 1
  }
  return kind
})

const received = ({ bytes, container, sha256 }: ReadImage, copy: PublicCopy | null): ReceivedFile => ({
  ...container,
  byte_size: bytes.length,
  sha256,
  copy
})

/** Bytes that decide on the format of an image. */
const SNIFFED_BYTES = 12

/** Returns at least the bytes that decide on the format, if there are enough. */
const beginningOf = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first] = parts
  return first !== undefined && first.length >= SNIFFED_BYTES ? first : joined(parts)
}

const fieldCodes = {
  unsupported_type: "unsupported_type",
  mismatch: "mismatch",
  malformed: "invalid",
  out_of_range: "out_of_range"
} as const satisfies Record<ImageRefusal["code"], string>

const refused = ({ code, message }: ImageRefusal): Validation =>
  new Validation({ errors: [{ field: "file", code: fieldCodes[code], message }] })
