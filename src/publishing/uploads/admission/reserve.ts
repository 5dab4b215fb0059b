import { Clock, Effect, Option, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { NotFound, RevisionConflict } from "../../../../schemas/platform/errors/common.ts"
import { type OwnerId, PostId, UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { StorageQuotaReached } from "../../../../schemas/publishing/storage/errors.ts"
import { UploadConflict, UploadLimitReached } from "../../../../schemas/publishing/uploads/errors.ts"
import { Scanner } from "../../../platform/ports/Scanner.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { isSameMoment } from "../../../platform/time/isSameMoment.ts"
import { later, now } from "../../../platform/time/now.ts"
import { type FileRefusal, PostFiles } from "../../posts/PostFiles.ts"
import { policyVersionOf } from "../../screening/policy.ts"
import { AccountStorage } from "../../storage/AccountStorage.ts"
import { DUPLICATE_WAIT_MILLIS, RECEIVING_LEASE_MILLIS } from "../operation/deadlines.ts"
import { type Operation, transition } from "../operation/operation.ts"
import { operationStatements } from "../operation/operations.sql.ts"
import { type ReservationFacts, reservationStatements } from "../operation/reservations.sql.ts"
import {
  importLimits,
  reachedStagingLimit,
  reachedTransferLimit,
  stagedBytesOf,
  uploadLimits
} from "./limits.ts"
import type { UploadRequest } from "./uncertain.ts"

/** Outcome of a reservation. */
export type Reservation =
  /** This request receives the bytes. */
  | { readonly kind: "receive"; readonly operation: Operation; readonly replayed: boolean }
  /** The bytes are durable: this request's must be the same. */
  | { readonly kind: "compare"; readonly operation: Operation; readonly sha256: string }
  /** Another request receives the bytes, or files of an earlier one are being removed. */
  | { readonly kind: "busy"; readonly operation: Operation }
  /** The operation ended before its bytes came. */
  | { readonly kind: "ended"; readonly operation: Operation }

/** Reasons why a reservation is refused. */
export type ReservationRefusal =
  | NotFound
  | RevisionConflict
  | StorageQuotaReached
  | UploadConflict
  | UploadLimitReached
  | FileRefusal

/** First wait of a repeated request between two looks at the one before it. */
const FIRST_LOOK_MILLIS = 50

/** Returns true when an operation is for this target: an attachment under its name, as its key is its own id. */
const isFor = (
  { file_name, target_id, target_key, target_kind }: Operation,
  { fileName, target }: UploadRequest
) =>
  target_kind === target.kind &&
  target_id === target.id &&
  (target_kind === "attachment" ? file_name === fileName : target_key === target.key)

/** Reserves room for an upload, or finds the operation that its request key began. */
export const makeReserve = Effect.gen(function* () {
  const operations = yield* operationStatements
  const reservations = yield* reservationStatements
  const transactions = yield* Transactions
  const random = yield* SecureRandom.SecureRandom
  const storage = yield* AccountStorage
  const { rateLimitFactor } = yield* Settings
  const postFiles = yield* PostFiles
  const policyVersion = policyVersionOf(yield* Scanner)

  /** Checks the limits of a request, and returns the bytes that it may stage. */
  const withinLimits = (
    { importedAs, requestBytes, target: { kind } }: UploadRequest,
    facts: ReservationFacts,
    earlier: Operation | undefined,
    at: Date
  ) => {
    const limits = importedAs === undefined ? uploadLimits(rateLimitFactor, kind) : importLimits(kind)
    const stagedBytes = stagedBytesOf(kind, requestBytes)
    const reached =
      reachedTransferLimit(facts, requestBytes, at, limits) ??
      reachedStagingLimit(facts, stagedBytes, earlier, limits)
    return reached === undefined ? Effect.succeed(stagedBytes) : new UploadLimitReached(reached)
  }

  /** Begins an operation: checks the revision and all limits, then writes the reservation. */
  const begin = Effect.fnUntraced(function* (ownerId: OwnerId, request: UploadRequest, at: Date) {
    const { fileName, requestBytes, requestKey, revision, target } = request
    const facts = yield* reservations.facts(ownerId, target, at)
    if (target.kind !== "avatar" && target.kind !== "header") {
      if (facts.post_revision === null) return yield* new NotFound()
      if (revision !== undefined && !isSameMoment(revision, facts.post_revision))
        return yield* RevisionConflict.with(facts.post_revision)
    }
    const stagedBytes = yield* withinLimits(request, facts, undefined, at)
    yield* storage.admit(ownerId, stagedBytes)
    const id = request.importedAs ?? UploadOperationId.make(yield* random.uuidV7())
    if (fileName !== undefined) {
      const file = { id, ownerId, postId: PostId.make(target.id), fileName, byteSize: stagedBytes }
      yield* postFiles.check(file)
      yield* postFiles.add(file, at)
    }
    return yield* reservations.reserve({
      target: { ...target, key: fileName === undefined ? target.key : id },
      requestKey,
      requestBytes: request.importedAs === undefined ? requestBytes : null,
      stagedBytes,
      fileName: fileName ?? null,
      id,
      ownerId,
      policyVersion,
      // The author may have changed the place since an import named its image there.
      placeUrl: request.placeUrl ?? facts.place_url,
      at,
      leaseUntil: later(at, RECEIVING_LEASE_MILLIS)
    })
  })

  /** Lets the bytes of an operation come again. Returns `undefined` while another request may still receive them. */
  const sendAgain = Effect.fnUntraced(function* (
    ownerId: OwnerId,
    request: UploadRequest,
    earlier: Operation,
    at: Date
  ) {
    const { requestBytes, target } = request
    if (isBusy(earlier, at)) return undefined
    const facts = yield* reservations.facts(ownerId, target, at)
    const bytes = yield* withinLimits(request, facts, earlier, at)
    yield* storage.admit(ownerId, bytes - earlier.staged_bytes)
    const leaseUntil = later(at, RECEIVING_LEASE_MILLIS)
    const again = transition(earlier, { type: "sent_again", at, leaseUntil, bytes })
    if (again === undefined || !(yield* operations.settle(earlier, again))) return undefined
    if (request.importedAs === undefined) yield* reservations.charge(ownerId, requestBytes, at)
    const operation: Operation = { ...earlier, ...again }
    return operation
  })

  /** Decides on a request under the lock of its owner. */
  const decide = Effect.fn("Uploads.decideReservation")(
    function* (
      ownerId: OwnerId,
      request: UploadRequest
    ): Effect.fn.Return<Reservation, ReservationRefusal, Scope.Scope> {
      const { kind } = request.target
      // The Post before the owner, as everywhere. An og image and a file wait for edits, which write the same place.
      if (kind === "attachment" || kind === "og") yield* reservations.lockPost(ownerId, request.target)
      yield* reservations.lockOwner(ownerId)
      const at = yield* now
      const earlier = Option.getOrUndefined(yield* reservations.earlier(ownerId, request.requestKey))
      if (earlier === undefined)
        return { kind: "receive", operation: yield* begin(ownerId, request, at), replayed: false }
      if (!isFor(earlier, request)) return yield* new UploadConflict()
      if (earlier.sha256 !== null) return { kind: "compare", operation: earlier, sha256: earlier.sha256 }
      if (earlier.state !== "receiving") return { kind: "ended", operation: earlier }
      const operation = yield* sendAgain(ownerId, request, earlier, at)
      return operation === undefined
        ? { kind: "busy", operation: earlier }
        : { kind: "receive", operation, replayed: true }
    },
    (reserving) => Effect.scoped(transactions.run(reserving))
  )

  /** Waits until no other request receives the bytes, for a few seconds at most. */
  const wait = Effect.fnUntraced(function* (ownerId: OwnerId, requestKey: string) {
    const end = (yield* Clock.currentTimeMillis) + DUPLICATE_WAIT_MILLIS
    for (let pause = FIRST_LOOK_MILLIS; ; pause *= 2) {
      const left = end - (yield* Clock.currentTimeMillis)
      if (left <= 0) return
      yield* Effect.sleep(Math.min(pause, left))
      const earlier = Option.getOrUndefined(yield* reservations.earlier(ownerId, requestKey))
      if (!isBusy(earlier, yield* now)) return
    }
  })

  /**
   * Reserves an upload. A request whose key is in use waits a few seconds for the one before it. That one may have lost
   * its connection, and its bytes may be sent again then.
   */
  return Effect.fn("Uploads.reserve")(function* (
    { ownerId }: PublisherAuthority,
    request: UploadRequest
  ): Effect.fn.Return<Reservation, ReservationRefusal> {
    const reservation = yield* decide(ownerId, request)
    if (reservation.kind !== "busy") return reservation
    yield* wait(ownerId, request.requestKey)
    return yield* decide(ownerId, request)
  })
})

/** Returns true when another request receives the bytes of an operation, or its files are being removed. */
const isBusy = (earlier: Operation | undefined, at: Date) =>
  earlier !== undefined &&
  earlier.state === "receiving" &&
  transition(earlier, { type: "sent_again", at, leaseUntil: at, bytes: 0 }) === undefined
