import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { StorageUnavailable } from "../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { AssociationsRepo } from "./AssociationsRepo.ts"
import { BodyBrokenOff, type FormRefusal, type ReadForm } from "./form.ts"
import { type ReceivedImage, type ReceivingLease, ReservationsRepo } from "./ReservationsRepo.ts"
import { StagedFiles } from "./StagedFiles.ts"
import { type UploadRequest, UploadUncertain } from "./uploadRequest.ts"
import { UploadWakes } from "./UploadWakes.ts"
import { WorkRepo } from "./WorkRepo.ts"

/** How long receiving may take: it ends before the lease does, as the public copy has one place for all receipts. */
const RECEIVING_MILLIS = 135_000

/** How long a reservation that came to nothing may take to be taken back, while its sender may be gone. */
const TAKING_BACK = "5 seconds"

const tooSlow = () =>
  new StorageUnavailable({ operation: "put", cause: new Error("The store took longer than the lease") })

const isRefusal = (cause: Cause.Cause<unknown>) =>
  Option.exists(
    Cause.findErrorOption(cause),
    (error) => !(error instanceof BodyBrokenOff || error instanceof UploadUncertain)
  )

/** From the first byte to the durable receipt (specification 3.2.1). */
export class Receipts extends Context.Service<
  Receipts,
  {
    /**
     * Receives the file of a form under a lease; the operation says afterwards what came of it. Whoever was refused finds
     * nothing left of it, and whose bytes broke off may send them again.
     */
    readonly receive: (
      publisher: PublisherAuthority,
      request: UploadRequest,
      lease: ReceivingLease,
      read: ReadForm
    ) => Effect.Effect<void, FormRefusal | UploadUncertain>
  }
>()("pennypress/publishing/uploads/Receipts") {
  static readonly layer = Layer.effect(
    Receipts,
    Effect.gen(function* () {
      const repo = yield* ReservationsRepo
      const work = yield* WorkRepo
      const associations = yield* AssociationsRepo
      const files = yield* StagedFiles
      const transactions = yield* Transactions
      const wakes = yield* UploadWakes

      /** Bytes before the commit that speaks of them: what a crash leaves is a file that nobody names, never the reverse. */
      const commitInline = Effect.fnUntraced(function* (lease: ReceivingLease, image: ReceivedImage) {
        const at = yield* now
        const isOurs = yield* repo.receive(lease, image, at)
        if (!isOurs) yield* work.cleanAgain(lease.id, at)
        yield* wakes.wake
        return isOurs
      })

      /** As that of an inline image, which its author puts in its place, and that too. */
      const commitAssociated = Effect.fnUntraced(
        function* (
          { ownerId }: PublisherAuthority,
          { target }: UploadRequest,
          lease: ReceivingLease,
          image: ReceivedImage
        ) {
          const { id: target_id, kind: target_kind } = target
          yield* associations.lockTarget({ owner_id: ownerId, target_id, target_kind })
          const at = yield* now
          const isOurs = yield* repo.receive(lease, image, at)
          if (isOurs) yield* associations.associate(lease.id, target_kind, { again: false, at })
          else yield* work.cleanAgain(lease.id, at)
          yield* transactions.afterCommit(wakes.wake)
          return isOurs
        },
        (committing) => transactions.run(committing)
      )

      const commit = Effect.fn("Receipts.commit")(
        (
          publisher: PublisherAuthority,
          request: UploadRequest,
          lease: ReceivingLease,
          image: ReceivedImage
        ) =>
          request.target.kind === "inline"
            ? commitInline(lease, image)
            : commitAssociated(publisher, request, lease, image)
      )

      /** After a refusal nothing is left; else the bytes may be sent again, and what is left of these is cleaned up. */
      const takeBack = Effect.fnUntraced(function* (lease: ReceivingLease, isRefused: boolean) {
        const isRemoved = isRefused && (yield* Effect.isSuccess(files.discard(lease)))
        if (isRemoved) yield* repo.forget(lease)
        else yield* repo.abandon(lease, yield* now)
      })

      const receive = Effect.fn("Receipts.receive")(function* (
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
        const isOurs = yield* Effect.uninterruptible(commit(publisher, request, lease, image)).pipe(
          Effect.catchDefect((defect) => Effect.fail(uncertain(defect)))
        )
        if (!isOurs) yield* Effect.ignore(files.discard(lease))
      })

      return Receipts.of({ receive })
    })
  )
}
