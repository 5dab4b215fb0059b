import { sha256 as incremental } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Context, Effect, Layer, Option, Result, Semaphore, Stream } from "effect"
import { Digest } from "effect/crypto"
import { PayloadTooLargeProblem, ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import {
  INLINE_IMAGE_BYTES_MAX,
  mediaTypeOf,
  TARGET_IMAGE_BYTES_MAX
} from "../../../schemas/publishing/uploads/limits.ts"
import {
  ObjectStorage,
  type ObjectNotFound,
  type StorageUnavailable
} from "../../platform/ports/ObjectStorage.ts"
import { type ImageContainer, readContainer } from "../image-formats/container.ts"
import type { ImageRefusal } from "../image-formats/shared/refusal.ts"
import { detectMediaType, sniffMismatch } from "../image-formats/sniff.ts"
import type { FormRefusal, SentFile } from "./form.ts"
import { stagingKey } from "./objectKeys.ts"
import type { LeasedUpload, UploadTarget } from "./operation.ts"
import { PublicCopies } from "./PublicCopies.ts"
import type { ReceivedImage, ReceivingLease } from "./ReservationsRepo.ts"

/** A request of so many bytes is collected before it is stored; a longer one is stored as it arrives. */
const COLLECTED_BYTES_MAX = 1024 * 1024

/** Images that are in memory whole at the same time, at most, beside those that are collected. */
const CONCURRENCY = 4

/** Bytes of an image for a target, at most (specification 8). */
export const imageBytesMax = (kind: UploadTarget["kind"]): number =>
  kind === "inline" ? INLINE_IMAGE_BYTES_MAX : TARGET_IMAGE_BYTES_MAX

/** Where the bytes of one receipt go, and how many the request may have. */
interface Receiving {
  readonly lease: ReceivingLease
  readonly target: UploadTarget
  readonly requestBytes: number
}

/** A file of which all bytes have arrived. */
interface ArrivedFile {
  /** Makes it durable, then its public copy. */
  readonly keep: Effect.Effect<ReceivedImage, FormRefusal | StorageUnavailable>
}

/** Files of uploads as they were sent, from their arrival to the verdict; nobody is shown them. */
export class StagedFiles extends Context.Service<
  StagedFiles,
  {
    /**
     * Takes all of a file, to be kept once its form was read to the end: what follows may be refused, and a public copy
     * would stay. A file that is no image of the four formats, or one of more bytes or pixels than are allowed, is
     * refused, and what was stored of it has to be removed.
     */
    readonly receive: (
      receiving: Receiving,
      file: SentFile
    ) => Effect.Effect<ArrivedFile, FormRefusal | StorageUnavailable>
    /** SHA-256 of a file that is sent again, in hex; nothing of it is kept. */
    readonly digest: (target: UploadTarget, file: SentFile) => Effect.Effect<string, FormRefusal>
    /** The bytes of an operation as they were received. */
    readonly read: (
      upload: Pick<LeasedUpload, "id" | "receipts">
    ) => Effect.Effect<Uint8Array, ObjectNotFound | StorageUnavailable>
    /** Removes what any receipt of an operation left. */
    readonly remove: (
      upload: Pick<LeasedUpload, "id" | "receipts">
    ) => Effect.Effect<void, StorageUnavailable>
    /** Removes what one receipt left. */
    readonly discard: (lease: ReceivingLease) => Effect.Effect<void, StorageUnavailable>
  }
>()("pennypress/publishing/uploads/StagedFiles") {
  static readonly layer = Layer.effect(
    StagedFiles,
    Effect.gen(function* () {
      const storage = yield* ObjectStorage
      const copies = yield* PublicCopies
      const digests = yield* Digest.Digest
      const inMemory = yield* Semaphore.make(CONCURRENCY)

      const sha256 = (bytes: Uint8Array) => digests.digestHex(Digest.sha256, bytes)

      const check = Effect.fnUntraced(function* (bytes: Uint8Array, mediaType: string) {
        const container = readContainer(bytes, mediaType)
        if (Result.isFailure(container)) return yield* refused(container.failure)
        const { format } = container.success
        const detected = Option.getOrUndefined(yield* detectMediaType(bytes))
        // An animated PNG is a PNG to everybody else.
        const isOf = detected === mediaTypeOf[format] || (format === "png" && detected === "image/apng")
        return isOf ? container.success : yield* refused(mismatch)
      })

      /** What the receipt says; an image whose copy cannot be made now is received all the same. */
      const received = Effect.fnUntraced(function* (
        { lease, target }: Receiving,
        bytes: Uint8Array,
        container: ImageContainer
      ) {
        const image = { id: lease.id, target_id: target.id }
        const copy = yield* Effect.option(copies.make(image, bytes, container))
        return {
          ...container,
          byte_size: bytes.length,
          sha256: yield* sha256(bytes),
          ...Option.getOrElse(copy, () => ({ public_url: null, public_size: null }))
        }
      })

      const receiveCollected = Effect.fnUntraced(function* (
        receiving: Receiving,
        file: SentFile
      ): Effect.fn.Return<ArrivedFile, FormRefusal> {
        const { lease, target } = receiving
        const bytes = yield* Stream.mkUint8Array(checked(file, target))
        const key = stagingKey(lease.id, lease.receipt)
        const keep = Effect.gen(function* () {
          const container = yield* check(bytes, file.mediaType)
          const staged = storage.put<never, never>(key, bytes, { contentType: file.mediaType })
          const both = [staged, received(receiving, bytes, container)] as const
          const [, image] = yield* Effect.all(both, { concurrency: 2 })
          return image
        })
        return { keep }
      })

      const receiveStreamed = Effect.fnUntraced(function* (
        receiving: Receiving,
        file: SentFile
      ): Effect.fn.Return<ArrivedFile, FormRefusal | StorageUnavailable> {
        const { lease, target } = receiving
        const key = stagingKey(lease.id, lease.receipt)
        yield* storage.put(key, checked(file, target), { contentType: file.mediaType })
        const keep = Effect.gen(function* () {
          const bytes = yield* Effect.catchTag(storage.read(key), "ObjectNotFound", Effect.die)
          const container = yield* check(bytes, file.mediaType)
          // To walk through 5 MiB takes milliseconds, and the copy walks again: others get their turn in between.
          yield* Effect.yieldNow
          return yield* received(receiving, bytes, container)
        })
        return { keep: inMemory.withPermits(1)(keep) }
      })

      return StagedFiles.of({
        receive: Effect.fn("StagedFiles.receive")((receiving, file) =>
          receiving.requestBytes <= COLLECTED_BYTES_MAX
            ? receiveCollected(receiving, file)
            : receiveStreamed(receiving, file)
        ),
        digest: Effect.fn("StagedFiles.digest")(function* (target, file) {
          const hash = incremental.create()
          yield* Stream.runForEach(checked(file, target), (chunk) => Effect.sync(() => hash.update(chunk)))
          return bytesToHex(hash.digest())
        }),
        read: Effect.fn("StagedFiles.read")(({ id, receipts }) => storage.read(stagingKey(id, receipts))),
        remove: Effect.fn("StagedFiles.remove")(function* ({ id, receipts }) {
          for (let receipt = 1; receipt <= receipts; receipt++) yield* storage.remove(stagingKey(id, receipt))
        }),
        discard: Effect.fn("StagedFiles.discard")(({ id, receipt }) =>
          storage.remove(stagingKey(id, receipt))
        )
      })
    })
  )
}

const fieldCodes = {
  unsupported_type: "unsupported_type",
  mismatch: "mismatch",
  malformed: "invalid",
  out_of_range: "out_of_range"
} as const satisfies Record<ImageRefusal["code"], string>

const mismatch: ImageRefusal = {
  code: "mismatch",
  message: "The image is of another format than its media type says."
}

const refused = ({ code, message }: ImageRefusal): ValidationProblem =>
  new ValidationProblem({ errors: [{ field: "file", code: fieldCodes[code], message }] })

/** The bytes of a file, refused as soon as its beginning or its length says that it cannot be taken. */
const checked = (
  { bytes, mediaType }: SentFile,
  { kind }: UploadTarget
): Stream.Stream<Uint8Array, FormRefusal> => {
  const max = imageBytesMax(kind)
  let size = 0
  return Stream.mapEffect(bytes, (chunk): Effect.Effect<Uint8Array, FormRefusal> => {
    const refusal = size === 0 ? sniffMismatch(chunk, mediaType) : undefined
    size += chunk.length
    if (refusal !== undefined) return Effect.fail(refused(refusal))
    return size > max ? Effect.fail(new PayloadTooLargeProblem({})) : Effect.succeed(chunk)
  })
}
