import { Context, Effect, Layer, Option } from "effect"
import { NotFound, type Validation } from "../../../schemas/platform/errors/common.ts"
import {
  type OwnerId,
  type PostId,
  type UploadOperationId,
  UploadTargetId
} from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  UploadConflict,
  type UploadFailed,
  type UploadUnavailable
} from "../../../schemas/publishing/uploads/errors.ts"
import type { OperationsQuery } from "../../../schemas/publishing/uploads/OperationsQuery.ts"
import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"
import { DependencyUnavailable } from "../../platform/ports/DependencyUnavailable.ts"
import type { EraseSome } from "../../platform/sql/EraseSome.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { PostFiles } from "../posts/PostFiles.ts"
import { archiveName } from "./admission/archiveFile.ts"
import { makeReceive, type OpenFile } from "./admission/receive.ts"
import { makeReserve, type ReservationRefusal } from "./admission/reserve.ts"
import { failWithRecovery, type UploadRequest, UploadUncertain } from "./admission/uncertain.ts"
import type { BodyBrokenOff, FormRefusal } from "./admission/uploadForm.ts"
import { transition } from "./operation/operation.ts"
import { operationStatements, UPLOADS } from "./operation/operations.sql.ts"
import { ownUploadStatements } from "./operation/ownUploads.sql.ts"
import type { PlaceTarget } from "./operation/places.sql.ts"
import { makePlaces } from "./operation/places.ts"
import { isAttachment } from "./operation/target.ts"
import { makeOwnOperations } from "./ownOperations.ts"
import { makeSweep } from "./pipeline/sweep.ts"
import { makeReceipts } from "./uploadReceipts.ts"

/** Reasons why an upload is not admitted, or the way to learn its uncertain outcome. */
export type AdmissionRefusal =
  | ReservationRefusal
  | Exclude<FormRefusal, BodyBrokenOff>
  | UploadUnavailable
  | UploadFailed

/** Uploads of images and ZIPs, from the first byte to the file in its place (spec 3.2, 4.4). */
export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Admits one upload. `open` opens its form at the file; that of a ZIP is opened first, because it names the file. A
     * request key that was used before gets its operation, once the file proves to be the same. A refused file leaves
     * nothing behind, and a file that broke off may be sent again. Only a ZIP needs paid text and a paywall.
     */
    readonly admit: (
      publisher: PublisherAuthority,
      request: UploadRequest,
      open: OpenFile
    ) => Effect.Effect<UploadReceipt, AdmissionRefusal>
    /** Returns the operations of the ZIPs of an own Post, newest first. */
    readonly attachments: (
      owner: Pick<PublisherAuthority, "ownerId">,
      postId: PostId
    ) => Effect.Effect<ReadonlyArray<UploadReceipt>, NotFound>
    /** Takes a ZIP off its Post. It is deleted once no reader may download it; a repeat looks again. */
    readonly detach: (
      publisher: PublisherAuthority,
      postId: PostId,
      id: UploadOperationId
    ) => Effect.Effect<UploadReceipt, NotFound>
    /** Returns own operations of images, newest first. Fails with `NotFound` for the Post of another. */
    readonly list: (
      publisher: PublisherAuthority,
      query: OperationsQuery
    ) => Effect.Effect<ReadonlyArray<UploadReceipt>, NotFound | Validation>
    /** Returns the state of an operation, and places its image if that is still to be done. */
    readonly status: (
      publisher: PublisherAuthority,
      id: UploadOperationId
    ) => Effect.Effect<UploadReceipt, NotFound>
    /** Places an image, also over another that its author has put there since. */
    readonly associate: (
      publisher: PublisherAuthority,
      id: UploadOperationId
    ) => Effect.Effect<UploadReceipt, NotFound>
    /**
     * Revokes desired inclusion at once (spec 3.2.4). A hold stays. The previous image of its place becomes current
     * again.
     */
    readonly cancel: (
      publisher: PublisherAuthority,
      id: UploadOperationId
    ) => Effect.Effect<UploadReceipt, NotFound>
    /** Removes the header image of the Profile, and its public copy. */
    readonly removeHeader: (publisher: PublisherAuthority) => Effect.Effect<void>
    /**
     * Erases uploads of a deleted account, but for those that buyers keep and those that are held as evidence. Their files
     * are removed first, by the worker.
     */
    readonly eraseSome: EraseSome
    /** Returns true while files of a deleted account are still to be removed. */
    readonly isErasing: (owner: OwnerId) => Effect.Effect<boolean>
    /** Forgets transfers that no limit counts, deletes removed files without readers, and measures the backlog. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/Uploads") {
  static readonly layer = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const operations = yield* operationStatements
      const own = yield* ownUploadStatements
      const places = yield* makePlaces
      const receipts = yield* makeReceipts
      const transactions = yield* Transactions
      const { ring } = (yield* Doorbells).bell(UPLOADS)
      const reserve = yield* makeReserve
      const { attachmentsOf, rowsOf } = yield* makeOwnOperations
      const { digestOf, receive } = yield* makeReceive(ring)
      const postFiles = yield* PostFiles
      const sweep = yield* makeSweep

      const admitted = Effect.fnUntraced(function* (
        { ownerId }: PublisherAuthority,
        id: UploadOperationId,
        replayed: boolean
      ) {
        const found = Option.getOrUndefined(yield* own.find(ownerId, id))
        if (found === undefined) {
          // The request that began it was refused meanwhile, so that this one may begin its own.
          const cause = new DependencyUnavailable({ dependency: "another request with this key" })
          return yield* new UploadUncertain({ operationId: id, cause })
        }
        return yield* replayed ? receipts.one(found, true) : receipts.begun(found)
      })

      const admit = Effect.fn("Uploads.admit")(
        function* (publisher: PublisherAuthority, sent: UploadRequest, open: OpenFile) {
          const named = sent.target.kind === "attachment" ? yield* open : undefined
          const file = named === undefined ? open : Effect.succeed(named)
          const fileName = named && (yield* archiveName(named.fileName ?? ""))
          const reservation = yield* Effect.catchDefect(reserve(publisher, { ...sent, fileName }), (cause) =>
            Effect.fail(new UploadUncertain({ cause }))
          )
          const { operation } = reservation
          if (reservation.kind === "receive") {
            yield* receive(operation, sent.requestBytes, file)
            return yield* admitted(publisher, operation.id, reservation.replayed)
          }
          if (reservation.kind === "compare") {
            const sha256 = yield* digestOf(sent.target.kind, file)
            if (sha256 !== reservation.sha256) return yield* new UploadConflict()
          }
          return yield* admitted(publisher, operation.id, true)
        },
        Effect.scoped,
        (admitting, _, request) =>
          Effect.catchTag(admitting, ["UploadUncertain", "BodyBrokenOff"], failWithRecovery(request))
      )

      const reconcile = Effect.fn("Uploads.reconcile")(function* (
        publisher: PublisherAuthority,
        id: UploadOperationId,
        again: boolean
      ) {
        const row = yield* receipts.find(publisher, id)
        if (row.next_task === "publish") yield* ring
        if (row.held || row.in_place || row.target_kind === "inline" || isAttachment(row))
          return yield* receipts.one(row)
        yield* Effect.gen(function* () {
          const url = yield* places.lock(row)
          yield* places.place(row, { url, again, at: yield* now })
        }).pipe(transactions.run)
        return yield* receipts.one(yield* receipts.find(publisher, id))
      })

      /** Removes a file from its place, and then its bytes. Returns false for one that is gone. */
      const remove = Effect.fnUntraced(function* (id: UploadOperationId, target: PlaceTarget) {
        yield* places.lock(target)
        // After the lock, because payments for which it waited came before.
        const at = yield* now
        const operation = Option.getOrUndefined(yield* operations.lock(id))
        if (operation === undefined) return false
        // A file that was hidden for its readers may have none by now.
        const again = isAttachment(operation) ? transition(operation, { type: "file_left", at }) : undefined
        const settlement = transition(operation, { type: "cancelled", at }) ?? again
        if (settlement === undefined) return false
        yield* places.remove(operation, at)
        return yield* operations.settle(operation, settlement)
      }, transactions.run)

      const cancel = Effect.fn("Uploads.cancel")(function* (
        publisher: PublisherAuthority,
        id: UploadOperationId
      ) {
        const row = yield* receipts.find(publisher, id)
        if (!(yield* remove(id, row))) return yield* receipts.one(row)
        yield* ring
        return yield* receipts.one(yield* receipts.find(publisher, id))
      })

      const removeHeader = Effect.fn("Uploads.removeHeader")(
        function* ({ ownerId }: PublisherAuthority) {
          const target_id = UploadTargetId.make(ownerId)
          const header = { owner_id: ownerId, target_id, target_kind: "header" } as const
          const public_url = yield* places.lock(header)
          const at = yield* now
          yield* places.removeHeader(ownerId, public_url)
          yield* operations.settleAll(yield* operations.lockHeaders(ownerId), (it) =>
            transition(it, { type: "cancelled", at })
          )
          yield* ring
        },
        (removing) => transactions.run(removing)
      )

      return Uploads.of({
        admit,
        attachments: Effect.fn("Uploads.attachments")(function* ({ ownerId }, postId) {
          return yield* receipts.all(yield* attachmentsOf(ownerId, postId))
        }),
        detach: Effect.fn("Uploads.detach")(function* (publisher, postId, id) {
          const row = yield* receipts.find(publisher, id)
          if (!isAttachment(row) || row.target_id !== UploadTargetId.make(postId))
            return yield* new NotFound()
          return yield* cancel(publisher, id)
        }),
        list: Effect.fn("Uploads.list")(function* (publisher, query) {
          return yield* receipts.all(yield* rowsOf(publisher, query))
        }),
        status: (publisher, id) => reconcile(publisher, id, false),
        associate: (publisher, id) => reconcile(publisher, id, true),
        cancel,
        removeHeader,
        eraseSome: Effect.fn("Uploads.eraseSome")(
          function* (owner, limit) {
            const at = yield* now
            const unkept = yield* operations.lockUnkept(owner, limit)
            yield* operations.settleAll(unkept, (it) => transition(it, { type: "cancelled", at }))
            if (unkept.length > 0) yield* ring
            const isErased = yield* operations.eraseSome(owner, limit)
            const isForgotten = yield* operations.eraseTransfers(owner, limit)
            return unkept.length > 0 || isErased || isForgotten
          },
          (erasing) => transactions.run(erasing)
        ),
        isErasing: operations.hasUnkept,
        sweep: Effect.gen(function* () {
          const at = yield* now
          for (const { id, owner_id, post_id } of yield* postFiles.keptUntil(at)) {
            const target_id = UploadTargetId.make(post_id)
            if (yield* remove(id, { owner_id, target_id, target_kind: "attachment" })) yield* ring
          }
          yield* sweep
        })
      })
    })
  )
}
