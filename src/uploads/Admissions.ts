import { Cause, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { NotFoundProblem, RevisionConflict } from "../../schemas/errors/common.ts"
import { UploadOperationId } from "../../schemas/Ids.ts"
import type { PublisherAuthority } from "../../schemas/security/authorities.ts"
import { UploadConflict, UploadLimitReached } from "../../schemas/uploads/errors.ts"
import { StorageUnavailable } from "../ports/ObjectStorage.ts"
import { RateLimitFactor } from "../ports/RateLimitFactor.ts"
import { Scanner } from "../ports/Scanner.ts"
import { isSameMoment } from "../posts/revision.ts"
import { policyVersionOf } from "../screening/policy.ts"
import { Transactions } from "../sql/Transactions.ts"
import { later, now } from "../time/now.ts"
import { AssociationsRepo } from "./AssociationsRepo.ts"
import { BodyBrokenOff, type FormRefusal, type ReadForm } from "./form.ts"
import type { UploadRow, UploadTarget } from "./operation.ts"
import {
  awaitsBytes,
  type EarlierUpload,
  isSameTarget,
  reachedStagingLimit,
  reachedTransferLimit,
  type ReservationFacts
} from "./reservation.ts"
import { type ReceivedImage, type ReceivingLease, ReservationsRepo } from "./ReservationsRepo.ts"
import { StagedFiles } from "./StagedFiles.ts"
import { UploadsRepo } from "./UploadsRepo.ts"
import { UploadWakes } from "./UploadWakes.ts"

/** For how long bytes may arrive before anybody else may send them again; longer than any request may take. */
const RECEIVING_LEASE_MILLIS = 150_000

/** How long receiving may take: it ends before the lease does, as the public copy has one place for all receipts. */
const RECEIVING_MILLIS = 135_000

/** How long a reservation that came to nothing may take to be taken back, while its sender may be gone. */
const TAKING_BACK = "5 seconds"

const tooSlow = () => new StorageUnavailable({ operation: "put", cause: new Error("It took too long") })

/** One upload as it is asked for. */
export interface UploadRequest {
  readonly target: UploadTarget
  /** The Idempotency-Key. */
  readonly requestKey: string
  /** The revision that the Post has to have; undefined for a Profile. */
  readonly revision: string | undefined
  /** Bytes of the request, its multipart included. */
  readonly requestBytes: number
}

/** The bytes may be durable or not; `operationId` once a reservation was made. */
export class UploadUncertain extends Schema.TaggedError<UploadUncertain>()("UploadUncertain", {
  operationId: Schema.optionalKey(UploadOperationId),
  cause: Schema.Defect()
}) {}

/** Why an upload was not admitted. */
export type AdmissionRefusal =
  | NotFoundProblem
  | RevisionConflict
  | UploadConflict
  | UploadLimitReached
  | UploadUncertain
  | FormRefusal

/** An operation, and whether an earlier request began it. */
export interface AdmittedUpload {
  readonly row: UploadRow
  readonly replayed: boolean
}

/** What a request turned out to be. */
type Reservation =
  | { readonly kind: "receive"; readonly lease: ReceivingLease }
  /** Another request is receiving the bytes, or its author has cancelled it. */
  | { readonly kind: "answer"; readonly id: UploadOperationId }
  | { readonly kind: "compare"; readonly id: UploadOperationId; readonly sha256: string }

/** Takes images in: a reservation, the bytes, and the durable receipt (specification 4.4). */
export class Admissions extends Context.Service<
  Admissions,
  {
    /**
     * Admits one upload whose form is read by `read`. A request key that was used is answered with what it began, after
     * its file was compared. A refused file leaves nothing behind; one that breaks off may be sent again.
     */
    readonly admit: (
      publisher: PublisherAuthority,
      request: UploadRequest,
      read: ReadForm
    ) => Effect.Effect<AdmittedUpload, AdmissionRefusal>
  }
>()("pennypress/uploads/Admissions") {
  static readonly layer = Layer.effect(
    Admissions,
    Effect.gen(function* () {
      const repo = yield* ReservationsRepo
      const uploads = yield* UploadsRepo
      const associations = yield* AssociationsRepo
      const files = yield* StagedFiles
      const transactions = yield* Transactions
      const wakes = yield* UploadWakes
      const random = yield* SecureRandom.SecureRandom
      const factor = yield* RateLimitFactor
      const policyVersion = policyVersionOf(yield* Scanner)

      const limit = Effect.fnUntraced(function* (
        facts: ReservationFacts,
        { requestBytes }: UploadRequest,
        again: EarlierUpload | undefined,
        at: Date
      ) {
        const isStaged = again === undefined || again.sha256 === null
        const reached =
          reachedTransferLimit(facts, requestBytes, at, factor) ??
          (isStaged ? reachedStagingLimit(facts, requestBytes, again) : undefined)
        if (reached !== undefined) return yield* new UploadLimitReached(reached)
      })

      const reserve = Effect.fn("Admissions.reserve")(
        function* (
          publisher: PublisherAuthority,
          request: UploadRequest
        ): Effect.fn.Return<
          Reservation,
          NotFoundProblem | RevisionConflict | UploadConflict | UploadLimitReached
        > {
          const { requestBytes, requestKey, revision, target } = request
          const { ownerId } = publisher
          yield* repo.lockOwner(ownerId)
          const at = yield* now
          const earlier = Option.getOrUndefined(yield* repo.earlier(ownerId, requestKey))
          if (earlier !== undefined && !isSameTarget(earlier, target)) return yield* new UploadConflict({})
          const isAwaited = earlier === undefined || awaitsBytes(earlier, at)
          if (!isAwaited && earlier.sha256 === null) return { kind: "answer", id: earlier.id }

          const facts = yield* repo.facts(ownerId, target, at)
          if (earlier === undefined && revision !== undefined) {
            if (facts.post_revision === null) return yield* new NotFoundProblem({})
            if (!isSameMoment(revision, facts.post_revision)) return yield* new RevisionConflict({})
          }
          yield* limit(facts, request, earlier, at)
          yield* repo.charge(ownerId, requestBytes, at)
          if (earlier !== undefined && earlier.sha256 !== null) {
            return { kind: "compare", id: earlier.id, sha256: earlier.sha256 }
          }
          const leaseUntil = later(at, RECEIVING_LEASE_MILLIS)
          const reserved = { bytes: requestBytes, leaseUntil }
          const lease =
            earlier === undefined
              ? yield* repo.reserve({
                  ...reserved,
                  id: UploadOperationId.make(yield* random.uuidV7()),
                  ownerId,
                  target,
                  requestKey,
                  policyVersion,
                  at
                })
              : yield* repo.takeOver(earlier.id, reserved)
          return { kind: "receive", lease }
        },
        (reserving) => transactions.run(reserving)
      )

      /** Bytes before the commit that speaks of them: what a crash leaves is a file that nobody names, never the reverse. */
      const keep = Effect.fn("Admissions.keep")(
        function* (
          publisher: PublisherAuthority,
          { target }: UploadRequest,
          lease: ReceivingLease,
          image: ReceivedImage
        ) {
          const { id: target_id, kind: target_kind } = target
          yield* associations.lockTarget({ owner_id: publisher.ownerId, target_id, target_kind })
          const at = yield* now
          const isOurs = yield* repo.receive(lease, image, at)
          if (isOurs) yield* associations.associate(lease.id, target_kind, { again: false, at })
          yield* transactions.afterCommit(wakes.wake)
          return isOurs
        },
        (keeping) => transactions.run(keeping)
      )

      /** After a refusal nothing is left; else the bytes may be sent again, and what is left of these is cleaned up. */
      const takeBack = Effect.fnUntraced(function* (lease: ReceivingLease, isRefused: boolean) {
        const isRemoved = isRefused && (yield* Effect.isSuccess(files.discard(lease)))
        if (isRemoved) yield* repo.forget(lease)
        else yield* repo.abandon(lease, yield* now)
      })

      const isRefusal = (cause: Cause.Cause<unknown>) =>
        Option.exists(
          Cause.findErrorOption(cause),
          (error) => !(error instanceof BodyBrokenOff || error instanceof UploadUncertain)
        )

      const receive = Effect.fn("Admissions.receive")(function* (
        publisher: PublisherAuthority,
        request: UploadRequest,
        lease: ReceivingLease,
        read: ReadForm
      ) {
        const { requestBytes, target } = request
        const uncertain = (cause: unknown) => new UploadUncertain({ operationId: lease.id, cause })
        const image = yield* read((file) => files.receive({ lease, target, requestBytes }, file)).pipe(
          Effect.flatMap(({ keep }) => keep),
          Effect.timeoutOrElse({ duration: RECEIVING_MILLIS, orElse: () => Effect.fail(tooSlow()) }),
          Effect.catchTag("StorageUnavailable", (error) => Effect.fail(uncertain(error))),
          Effect.catchDefect((defect) => Effect.fail(uncertain(defect))),
          Effect.onExit((exit) =>
            Exit.isSuccess(exit)
              ? Effect.void
              : takeBack(lease, isRefusal(exit.cause)).pipe(
                  Effect.sandbox,
                  Effect.timeoutOption(TAKING_BACK),
                  Effect.ignore({ log: "Warn" })
                )
          )
        )
        // From here on the bytes are there, whoever still waits for the answer.
        const isOurs = yield* Effect.uninterruptible(keep(publisher, request, lease, image)).pipe(
          Effect.catchDefect((defect) => Effect.fail(uncertain(defect)))
        )
        if (!isOurs) yield* Effect.ignore(files.discard(lease))
      })

      const rowOf = Effect.fnUntraced(function* (publisher: PublisherAuthority, id: UploadOperationId) {
        const row = yield* uploads.find(publisher.ownerId, id)
        if (Option.isSome(row)) return row.value
        return yield* new UploadUncertain({ operationId: id, cause: new Error("Another took it back") })
      })

      const admit = Effect.fn("Admissions.admit")(function* (
        publisher: PublisherAuthority,
        request: UploadRequest,
        read: ReadForm
      ) {
        const reservation = yield* Effect.catchDefect(reserve(publisher, request), (cause) =>
          Effect.fail(new UploadUncertain({ cause }))
        )
        if (reservation.kind === "receive") {
          const { lease } = reservation
          yield* receive(publisher, request, lease, read)
          return { row: yield* rowOf(publisher, lease.id), replayed: lease.receipt > 1 }
        }
        if (reservation.kind === "compare") {
          const sha256 = yield* read((file) => files.digest(request.target, file))
          if (sha256 !== reservation.sha256) return yield* new UploadConflict({})
        }
        return { row: yield* rowOf(publisher, reservation.id), replayed: true }
      })

      return Admissions.of({ admit })
    })
  )
}
