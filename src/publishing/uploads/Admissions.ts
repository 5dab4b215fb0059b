import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { NotFoundProblem, RevisionConflict } from "../../../schemas/platform/errors/common.ts"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { UploadConflict, UploadLimitReached } from "../../../schemas/publishing/uploads/errors.ts"
import { DependencyUnavailable } from "../../platform/ports/DependencyUnavailable.ts"
import { Scanner } from "../../platform/ports/Scanner.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { isSameMoment } from "../../platform/time/isSameMoment.ts"
import { later, now } from "../../platform/time/now.ts"
import { policyVersionOf } from "../screening/policy.ts"
import type { FormRefusal, ReadForm } from "./form.ts"
import type { UploadRow } from "./operation.ts"
import { Receipts } from "./Receipts.ts"
import {
  awaitsBytes,
  type EarlierUpload,
  isSameTarget,
  reachedStagingLimit,
  reachedTransferLimit,
  type ReservationFacts
} from "./reservation.ts"
import { type ReceivingLease, ReservationsRepo } from "./ReservationsRepo.ts"
import { StagedFiles } from "./StagedFiles.ts"
import { type UploadRequest, UploadUncertain } from "./uploadRequest.ts"
import { UploadsRepo } from "./UploadsRepo.ts"

/** For how long bytes may arrive before anybody else may send them again; longer than any request may take. */
const RECEIVING_LEASE_MILLIS = 150_000

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
>()("pennypress/publishing/uploads/Admissions") {
  static readonly layer = Layer.effect(
    Admissions,
    Effect.gen(function* () {
      const repo = yield* ReservationsRepo
      const uploads = yield* UploadsRepo
      const files = yield* StagedFiles
      const receipts = yield* Receipts
      const transactions = yield* Transactions
      const random = yield* SecureRandom.SecureRandom
      const { rateLimitFactor: factor } = yield* Settings
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
          const reserved = { bytes: requestBytes, leaseUntil: later(at, RECEIVING_LEASE_MILLIS) }
          if (earlier === undefined) {
            const id = UploadOperationId.make(yield* random.uuidV7())
            const lease = yield* repo.reserve({
              ...reserved,
              id,
              ownerId,
              target,
              requestKey,
              policyVersion,
              at
            })
            return { kind: "receive", lease }
          }
          if (earlier.sha256 === null) {
            const lease = yield* repo.takeOver(earlier, reserved)
            if (Option.isNone(lease)) return { kind: "answer", id: earlier.id }
            yield* repo.charge(ownerId, requestBytes, at)
            return { kind: "receive", lease: lease.value }
          }
          yield* repo.charge(ownerId, requestBytes, at)
          return { kind: "compare", id: earlier.id, sha256: earlier.sha256 }
        },
        (reserving) => transactions.run(reserving)
      )

      const rowOf = Effect.fnUntraced(function* (publisher: PublisherAuthority, id: UploadOperationId) {
        const row = yield* uploads.find(publisher.ownerId, id)
        if (Option.isSome(row)) return row.value
        // The request that began it was refused meanwhile, so that this one may begin its own.
        const cause = new DependencyUnavailable({ dependency: "another request with this key" })
        return yield* new UploadUncertain({ operationId: id, cause })
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
          yield* receipts.receive(publisher, request, lease, read)
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
