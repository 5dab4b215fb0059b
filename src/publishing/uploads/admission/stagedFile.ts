import { sha256 as incremental } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Effect, Semaphore, Stream } from "effect"
import { PayloadTooLarge } from "../../../../schemas/platform/errors/common.ts"
import { freedPieces } from "../../../platform/memory/freedPieces.ts"
import { ObjectStorage, type StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { stagingKey } from "../operation/objectKeys.ts"
import type { Operation } from "../operation/operation.ts"
import type { ReceivedFile } from "../operation/settlement.ts"
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
  /** Checks the file and makes it durable, with what its kind shows of it at once. */
  readonly keep: Effect.Effect<ReceivedFile, FormRefusal | StorageUnavailable>
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

  const collect = Effect.fnUntraced(function* (
    operation: Operation,
    file: SentFile
  ): Effect.fn.Return<ArrivedFile, FormRefusal> {
    const kind = kindOf(operation.target_kind)
    const sent = yield* Stream.runCollect(checked(file, kind, operation.target_kind))
    return { keep: kind.keepCollected(operation, sent, file) }
  })

  const stream = Effect.fnUntraced(function* (
    operation: Operation,
    file: SentFile
  ): Effect.fn.Return<ArrivedFile, FormRefusal | StorageUnavailable> {
    const key = stagingKey(operation.id, operation.upload_attempts)
    const kind = kindOf(operation.target_kind)
    const contentType = kind.stagedType(file.mediaType)
    yield* storage.put(key, freedPieces(checked(file, kind, operation.target_kind)), { contentType })
    return { keep: inMemory.withPermits(kind.places)(kind.keepStaged(operation, file)) }
  })

  return {
    /** Takes all bytes of a file. Nothing is durable before `keep`, or is removed with the staged file. */
    receive: Effect.fn("UploadFiles.receive")((operation: Operation, requestBytes: number, file: SentFile) =>
      requestBytes <= COLLECTED_BYTES_MAX ? collect(operation, file) : stream(operation, file)
    ),
    /** Returns the SHA-256 of a file that is sent again, in hex. Nothing of the file is kept. */
    digest: Effect.fn("UploadFiles.digest")(function* (target: UploadTarget, file: SentFile) {
      const hash = incremental.create()
      yield* Stream.runForEach(freedPieces(checked(file, kindOf(target.kind), target.kind)), (chunk) =>
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
