import { sha256 as incremental } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Effect, type Scope, Semaphore, Stream } from "effect"
import { PayloadTooLarge } from "../../../../schemas/platform/errors/common.ts"
import type { TargetKind } from "../../../../schemas/publishing/uploads/Upload.ts"
import { ObjectStorage, StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { gracefully } from "../../../platform/work/gracefully.ts"
import { KEEPING_MILLIS, RECEIVING_MILLIS } from "../operation/deadlines.ts"
import { makeCleanUpLateFile } from "../operation/lateFile.ts"
import { stagingKey } from "../operation/objectKeys.ts"
import { type Operation, transition } from "../operation/operation.ts"
import { makePlaces } from "../operation/places.ts"
import { makeArchiveKind } from "./archiveFile.ts"
import { type FileKind, PLACES } from "./fileKind.ts"
import { makeImageKind } from "./imageFile.ts"
import { fileBytesMax } from "./limits.ts"
import { makeNotReceived } from "./notReceived.ts"
import { makeStagedFiles } from "./stagedFile.ts"
import { UploadUncertain } from "./uncertain.ts"
import type { FormRefusal, SentFile } from "./uploadForm.ts"

/** Opens the form of a request at its file, for as long as the scope lasts. */
export type OpenFile = Effect.Effect<SentFile, FormRefusal, Scope.Scope>

/** A request of at most this many bytes is collected before it is stored; a longer one is stored as it arrives. */
const COLLECTED_BYTES_MAX = 1024 * 1024

const tooSlow = () =>
  new StorageUnavailable({ operation: "put", cause: new Error("The store took longer than the lease") })

/** Makes the functions that take the files of requests: `receive` for new files, `digestOf` for files that are sent again. */
export const makeReceive = Effect.fnUntraced(function* (ring: Effect.Effect<void>) {
  const storage = yield* ObjectStorage
  const places = yield* makePlaces
  const staged = yield* makeStagedFiles
  const { notArrived, notKept, notTaken } = yield* makeNotReceived
  const transactions = yield* Transactions
  const cleanUpLateFile = yield* makeCleanUpLateFile
  const inMemory = yield* Semaphore.make(PLACES)
  const image = yield* makeImageKind
  const archive = yield* makeArchiveKind
  const kindOf = (kind: TargetKind) => (kind === "attachment" ? archive : image)

  /**
   * Receives the file of a reservation, from the first byte to the durable checkpoint (spec 3.2.1). A file that is
   * refused, or breaks off while it arrives, leaves nothing in the store.
   */
  const receive = Effect.fn("Uploads.receive")(function* (
    operation: Operation,
    requestBytes: number,
    open: OpenFile
  ) {
    const uncertain = (cause: unknown) => new UploadUncertain({ operationId: operation.id, cause })
    const kind = kindOf(operation.target_kind)

    const file = yield* Effect.gen(function* () {
      const arrived = yield* Effect.gen(function* () {
        const sent = yield* open
        const { mediaType } = sent
        const bytes = checked(sent, kind, operation.target_kind)
        if (requestBytes <= COLLECTED_BYTES_MAX) return { mediaType, parts: yield* Stream.runCollect(bytes) }
        const key = stagingKey(operation.id, operation.upload_attempts)
        yield* storage.put(key, bytes, { contentType: kind.stagedType(mediaType) })
        return { mediaType, parts: undefined }
      }).pipe(
        Effect.scoped,
        Effect.onError((cause) => notArrived(operation, cause))
      )
      const { mediaType, parts } = arrived
      const keeping =
        parts === undefined
          ? inMemory.withPermits(kind.places)(kind.keepStaged(operation, mediaType))
          : kind.keepCollected(operation, parts, mediaType)
      // All bytes are here: they are kept although their sender may be gone.
      return yield* keeping.pipe(
        gracefully(KEEPING_MILLIS),
        Effect.onError((cause) => notKept(operation, cause))
      )
    }).pipe(
      Effect.timeoutOrElse({ duration: RECEIVING_MILLIS, orElse: () => Effect.fail(tooSlow()) }),
      Effect.catchTag("StorageUnavailable", (error) => Effect.fail(uncertain(error))),
      Effect.catchDefect((defect) => Effect.fail(uncertain(defect)))
    )

    // The bytes are written before the row that names them: a crash leaves a file without a row, never the reverse.
    const committing = Effect.gen(function* () {
      const url = operation.target_kind === "inline" ? null : yield* places.lock(operation)
      const at = yield* now
      const settlement = transition(operation, { type: "received", at, file })
      const isOurs = settlement !== undefined && (yield* places.settle(operation, settlement, { url, at }))
      if (!isOurs) yield* cleanUpLateFile(operation.id, at)
      yield* ring
      return isOurs
    })
    const isOurs = yield* (
      operation.target_kind === "inline" ? committing : transactions.run(committing)
    ).pipe(
      Effect.withSpan("Uploads.commit"),
      Effect.uninterruptible,
      Effect.tapError(() => notTaken(operation)),
      Effect.catchDefect((defect) => Effect.fail(uncertain(defect)))
    )
    if (!isOurs) yield* Effect.ignore(staged.discard(operation))
  })

  /** Returns the SHA-256 of a file that is sent again, in hex. Nothing of the file is kept. */
  const digestOf = Effect.fn("Uploads.digestOf")(function* (kind: TargetKind, open: OpenFile) {
    const hash = incremental.create()
    yield* Stream.runForEach(checked(yield* open, kindOf(kind), kind), (chunk) =>
      Effect.sync(() => hash.update(chunk))
    )
    return bytesToHex(hash.digest())
  }, Effect.scoped)

  return { receive, digestOf }
})

/** Passes the bytes of a file on, and fails as soon as its beginning or its length refuses it. */
const checked = (
  { bytes, mediaType }: SentFile,
  { refusal }: FileKind,
  kind: TargetKind
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
