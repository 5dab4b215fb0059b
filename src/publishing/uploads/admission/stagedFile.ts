import { sha256 as incremental } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Effect, Semaphore, Stream } from "effect"
import { PayloadTooLarge } from "../../../../schemas/platform/errors/common.ts"
import { ObjectStorage, type StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { stagingKey } from "../operation/objectKeys.ts"
import type { Operation } from "../operation/operation.ts"
import type { UploadTarget } from "../operation/target.ts"
import { makeArchiveKind } from "./archiveFile.ts"
import { type FileKind, PLACES } from "./fileKind.ts"
import { makeImageKind } from "./imageFile.ts"
import { fileBytesMax } from "./limits.ts"
import type { FormRefusal, SentFile } from "./uploadForm.ts"

/** A request of so many bytes is collected before it is stored; a longer one is stored as it arrives. */
const COLLECTED_BYTES_MAX = 1024 * 1024

/** A file whose bytes have all arrived. */
export interface ArrivedFile {
  readonly mediaType: string
  /** Undefined when the file is staged already. */
  readonly parts: ReadonlyArray<Uint8Array> | undefined
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
  const inMemory = yield* Semaphore.make(PLACES)
  const image = yield* makeImageKind
  const archive = yield* makeArchiveKind
  const kindOf = (kind: UploadTarget["kind"]) => (kind === "attachment" ? archive : image)

  return {
    /** Takes all bytes of a file, and stages a long one. Nothing is checked whole before `keep`. */
    arrive: Effect.fn("UploadFiles.arrive")(function* (
      operation: Operation,
      requestBytes: number,
      file: SentFile
    ): Effect.fn.Return<ArrivedFile, FormRefusal | StorageUnavailable> {
      const { mediaType } = file
      const kind = kindOf(operation.target_kind)
      const bytes = checked(file, kind, operation.target_kind)
      if (requestBytes <= COLLECTED_BYTES_MAX) return { mediaType, parts: yield* Stream.runCollect(bytes) }
      const key = stagingKey(operation.id, operation.upload_attempts)
      yield* storage.put(key, bytes, { contentType: kind.stagedType(mediaType) })
      return { mediaType, parts: undefined }
    }),
    /** Checks a file and makes it durable, or refuses it. */
    keep: (operation: Operation, { mediaType, parts }: ArrivedFile) => {
      const kind = kindOf(operation.target_kind)
      return parts === undefined
        ? inMemory.withPermits(kind.places)(kind.keepStaged(operation, mediaType))
        : kind.keepCollected(operation, parts, mediaType)
    },
    /** Returns the SHA-256 of a file that is sent again, in hex. Nothing of the file is kept. */
    digest: Effect.fn("UploadFiles.digest")(function* (target: UploadTarget, file: SentFile) {
      const hash = incremental.create()
      yield* Stream.runForEach(checked(file, kindOf(target.kind), target.kind), (chunk) =>
        Effect.sync(() => hash.update(chunk))
      )
      return bytesToHex(hash.digest())
    })
  }
})

/** Passes the bytes of a file on, and fails as soon as its beginning or its length refuses it. */
const checked = (
  { bytes, mediaType }: SentFile,
  { refusal }: FileKind,
  kind: UploadTarget["kind"]
): Stream.Stream<Uint8Array, FormRefusal> => {
  const max = fileBytesMax(kind)
  let size = 0
  return Stream.mapEffect(bytes, (chunk): Effect.Effect<Uint8Array, FormRefusal> => {
    const refused = size === 0 ? refusal(mediaType, chunk) : undefined
    size += chunk.length
    if (refused !== undefined) return Effect.fail(refused)
    return size > max ? Effect.fail(new PayloadTooLarge()) : Effect.succeed(chunk)
  })
}
