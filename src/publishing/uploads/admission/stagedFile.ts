import { sha256 as incremental } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Effect, Option, Semaphore, Stream } from "effect"
import { PayloadTooLarge, Validation } from "../../../../schemas/platform/errors/common.ts"
import { mediaTypeOf } from "../../../../schemas/publishing/uploads/limits.ts"
import { ObjectStorage, type StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { makeImageReader } from "../../image-formats/imageReader.ts"
import type { ReadImage } from "../../image-formats/imageTasks.ts"
import { joined } from "../../image-formats/shared/bytes.ts"
import type { ImageRefusal } from "../../image-formats/shared/refusal.ts"
import { formatOfMediaType } from "../../image-formats/sniff.ts"
import { stagingKey } from "../operation/objectKeys.ts"
import type { Operation, UploadTarget } from "../operation/operation.ts"
import type { PublicCopy, ReceivedImage } from "../operation/settlement.ts"
import type { FormRefusal, SentFile } from "./imageForm.ts"
import { imageBytesMax } from "./limits.ts"
import { sentTypeOf, typeRefusal } from "./mediaType.ts"
import { makePublicCopies, type StagedObject } from "./publicCopy.ts"

/** A request of so many bytes is collected before it is stored; a longer one is stored as it arrives. */
const COLLECTED_BYTES_MAX = 1024 * 1024

/** Maximum number of streamed images that are whole in memory at the same time. */
const CONCURRENCY = 4

/** Media type of a staged file whose format shows only in its bytes. Readers never get staged files. */
const UNKNOWN_TYPE = "application/octet-stream"

/** A file whose bytes have all arrived. */
export interface ArrivedFile {
  /** Checks the image, makes it durable, and makes its public copy. */
  readonly keep: Effect.Effect<ReceivedImage, FormRefusal | StorageUnavailable>
}

type StagedUpload = Pick<Operation, "id" | "upload_attempts">

/** Reads and removes files as they were sent, which readers never see. */
export const makeStagedFiles = Effect.gen(function* () {
  const storage = yield* ObjectStorage
  return {
    /** Returns the bytes of an operation as they were received. */
    read: Effect.fn("StagedFiles.read")(({ id, upload_attempts }: StagedUpload) =>
      storage.read(stagingKey(id, upload_attempts))
    ),
    /** Removes the files of every upload attempt. */
    remove: Effect.fn("StagedFiles.remove")(function* ({ id, upload_attempts }: StagedUpload) {
      for (let attempt = 1; attempt <= upload_attempts; attempt++) {
        yield* storage.remove(stagingKey(id, attempt))
      }
    }),
    /** Removes the file of the last upload attempt. */
    discard: Effect.fn("StagedFiles.discard")(({ id, upload_attempts }: StagedUpload) =>
      storage.remove(stagingKey(id, upload_attempts))
    )
  }
})

/** Receives files of uploads. A file that is refused, or breaks off while it arrives, leaves nothing in the store. */
export const makeFileReceiver = Effect.gen(function* () {
  const storage = yield* ObjectStorage
  const copies = yield* makePublicCopies
  const inMemory = yield* Semaphore.make(CONCURRENCY)
  const readImage = yield* makeImageReader

  /** Reads a whole image, and takes its parts over. */
  const read = (operation: Operation, parts: ReadonlyArray<Uint8Array>, { mediaType }: SentFile) =>
    Effect.mapError(
      readImage(operation.owner_id, { parts, mediaType: sentTypeOf(mediaType, beginningOf(parts)) }),
      refused
    )

  /** Makes the public copy. An image without one now is received all the same. */
  const publicCopy = (operation: Operation, image: ReadImage, staged?: StagedObject) =>
    Effect.map(Effect.option(copies.make(operation, image, staged)), Option.getOrNull)

  const received = ({ bytes, container, sha256 }: ReadImage, copy: PublicCopy | null): ReceivedImage => ({
    ...container,
    byte_size: bytes.length,
    sha256,
    copy
  })

  const collect = Effect.fnUntraced(function* (
    operation: Operation,
    file: SentFile
  ): Effect.fn.Return<ArrivedFile, FormRefusal> {
    const sent = yield* Stream.runCollect(checked(file, operation.target_kind))
    const key = stagingKey(operation.id, operation.upload_attempts)
    const keep = Effect.gen(function* () {
      const image = yield* read(operation, sent, file)
      const contentType = mediaTypeOf[image.container.format]
      const stage = storage.put<never, never>(key, image.bytes, { contentType })
      if (image.copy === undefined) {
        yield* stage
        return received(image, yield* publicCopy(operation, image, { key, contentType }))
      }
      // A copy that differs has a file of its own, and both files reach the disk together.
      const [, copy] = yield* Effect.all([stage, publicCopy(operation, image)], { concurrency: 2 })
      return received(image, copy)
    })
    return { keep }
  })

  const stream = Effect.fnUntraced(function* (
    operation: Operation,
    file: SentFile
  ): Effect.fn.Return<ArrivedFile, FormRefusal | StorageUnavailable> {
    const key = stagingKey(operation.id, operation.upload_attempts)
    const format = formatOfMediaType(file.mediaType)
    const contentType = format === undefined ? UNKNOWN_TYPE : mediaTypeOf[format]
    yield* storage.put(key, checked(file, operation.target_kind), { contentType })
    const keep = Effect.gen(function* () {
      const stored = yield* Effect.catchTag(storage.read(key), "ObjectNotFound", Effect.die)
      const image = yield* read(operation, [stored], file)
      return received(image, yield* publicCopy(operation, image, { key, contentType }))
    })
    return { keep: inMemory.withPermits(1)(keep) }
  })

  return {
    /** Takes all bytes of a file. Nothing is durable before `keep`, or is removed with the staged file. */
    receive: Effect.fn("UploadFiles.receive")((operation: Operation, requestBytes: number, file: SentFile) =>
      requestBytes <= COLLECTED_BYTES_MAX ? collect(operation, file) : stream(operation, file)
    ),
    /** Returns the SHA-256 of a file that is sent again, in hex. Nothing of the file is kept. */
    digest: Effect.fn("UploadFiles.digest")(function* (target: UploadTarget, file: SentFile) {
      const hash = incremental.create()
      yield* Stream.runForEach(checked(file, target.kind), (chunk) => Effect.sync(() => hash.update(chunk)))
      return bytesToHex(hash.digest())
    })
  }
})

/** Bytes that decide on the format of an image. */
const SNIFFED_BYTES = 12

/** Returns at least the bytes that decide on the format, if there are so many. */
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

/** Passes the bytes of a file on, and fails as soon as its beginning or its length refuses it. */
const checked = (
  { bytes, mediaType }: SentFile,
  kind: UploadTarget["kind"]
): Stream.Stream<Uint8Array, FormRefusal> => {
  const max = imageBytesMax(kind)
  let size = 0
  return Stream.mapEffect(bytes, (chunk): Effect.Effect<Uint8Array, FormRefusal> => {
    const refusal = size === 0 ? typeRefusal(mediaType, chunk) : undefined
    size += chunk.length
    if (refusal !== undefined) return Effect.fail(refused(refusal))
    return size > max ? Effect.fail(new PayloadTooLarge()) : Effect.succeed(chunk)
  })
}
