import { Context, Effect, Layer, Metric, Option } from "effect"
import { NotFoundProblem } from "../../../schemas/platform/errors/common.ts"
import { ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import { type PostId, type UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { TargetKind } from "../../../schemas/publishing/uploads/Upload.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { AssociationsRepo } from "./AssociationsRepo.ts"
import { ControlsRepo } from "./ControlsRepo.ts"
import type { UploadRow, UploadTarget } from "./operation.ts"
import { isUnfinished } from "./receipt.ts"
import { UploadsRepo } from "./UploadsRepo.ts"
import { UploadWakes } from "./UploadWakes.ts"
import { Withdrawals } from "./Withdrawals.ts"
import { WorkRepo } from "./WorkRepo.ts"

/** Which operations are asked for: those of a Post, of the Profile, or the one of a saved request. */
export interface OperationsQuery {
  readonly postId?: PostId
  readonly requestKey?: string
  readonly targetKind?: TargetKind
  readonly targetId?: UploadTargetId
  readonly targetKey?: string
}

const waiting = Metric.gauge("uploads_waiting", {
  description: "Unfinished upload operations by state, counted once a minute"
})
const oldest = Metric.gauge("uploads_oldest_seconds", {
  description: "Age of the oldest unfinished upload operation by state, measured once a minute"
})
const unfinishedStates = ["receiving", "queued", "checking"] as const

/** What became of uploads, and what their authors may still do about them (specification 3.2, 4.4). */
export class Uploads extends Context.Service<
  Uploads,
  {
    /** Own operations; those of a foreign Post are not found. */
    readonly list: (
      publisher: PublisherAuthority,
      query: OperationsQuery
    ) => Effect.Effect<ReadonlyArray<UploadRow>, NotFoundProblem | ValidationProblem>
    /**
     * Where an operation stands, after its image was put in its place if that is owed. With `again` also when its author
     * has put something else there since.
     */
    readonly reconcile: (
      publisher: PublisherAuthority,
      id: UploadOperationId,
      again: boolean
    ) => Effect.Effect<UploadRow, NotFoundProblem>
    /** Revokes desired inclusion at once: nothing refers to the image any more, and its files are removed. Keeps a hold. */
    readonly cancel: (
      publisher: PublisherAuthority,
      id: UploadOperationId
    ) => Effect.Effect<UploadRow, NotFoundProblem>
    readonly removeHeader: (publisher: PublisherAuthority) => Effect.Effect<void>
    /** Forgets old transfers, and measures what waits. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/Uploads") {
  static readonly layer = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const repo = yield* UploadsRepo
      const associations = yield* AssociationsRepo
      const controls = yield* ControlsRepo
      const work = yield* WorkRepo
      const withdrawals = yield* Withdrawals
      const transactions = yield* Transactions
      const wakes = yield* UploadWakes

      const find = Effect.fnUntraced(function* (publisher: PublisherAuthority, id: UploadOperationId) {
        const row = yield* repo.find(publisher.ownerId, id)
        return Option.isSome(row) ? row.value : yield* new NotFoundProblem({})
      })

      const list = Effect.fn("Uploads.list")(function* (
        publisher: PublisherAuthority,
        query: OperationsQuery
      ) {
        const { ownerId } = publisher
        const { postId } = query
        const request = yield* requestOf(query)
        if (request !== undefined)
          return yield* repo.findByRequest(ownerId, request.requestKey, request.target)
        if (postId === undefined) return yield* repo.list(ownerId, UploadTargetId.make(ownerId))
        const target = UploadTargetId.make(postId)
        if (!(yield* repo.ownsPost(ownerId, target))) return yield* new NotFoundProblem({})
        return yield* repo.list(ownerId, target)
      })

      const reconcile = Effect.fn("Uploads.reconcile")(function* (
        publisher: PublisherAuthority,
        id: UploadOperationId,
        again: boolean
      ) {
        const row = yield* find(publisher, id)
        const { associated, held, owed, target_kind } = row
        if (owed === "promotion") yield* wakes.wake
        if (held || associated || target_kind === "inline") return row
        const at = yield* now
        yield* transactions.run(
          Effect.andThen(associations.lockTarget(row), associations.associate(id, target_kind, { again, at }))
        )
        return yield* find(publisher, id)
      })

      const cancel = Effect.fn("Uploads.cancel")(function* (
        publisher: PublisherAuthority,
        id: UploadOperationId
      ) {
        const row = yield* find(publisher, id)
        // A header that was taken off is undesired, and its files are still there.
        if (!row.desired && !isUnfinished(row.state) && row.state !== "cleared") return row
        const at = yield* now
        yield* Effect.gen(function* () {
          yield* associations.lockTarget(row)
          // It may have been made public since it was read.
          yield* withdrawals.withdraw(yield* find(publisher, id), at)
          yield* controls.cancel(id, at)
        }).pipe(transactions.run)
        yield* wakes.wake
        return yield* find(publisher, id)
      })

      return Uploads.of({
        list,
        reconcile,
        cancel,
        removeHeader: Effect.fn("Uploads.removeHeader")(
          function* ({ ownerId }) {
            const header = {
              owner_id: ownerId,
              target_id: UploadTargetId.make(ownerId),
              target_kind: "header"
            } as const
            yield* associations.lockTarget(header)
            yield* associations.removeHeader(ownerId)
          },
          (removing) => transactions.run(removing)
        ),
        sweep: Effect.gen(function* () {
          const at = yield* now
          yield* repo.sweepTransfers(later(at, -DAY_MILLIS))
          const backlog = yield* work.backlog
          for (const state of unfinishedStates) {
            const found = backlog.find((it) => it.state === state)
            const seconds = found === undefined ? 0 : (at.getTime() - found.oldest.getTime()) / 1000
            yield* Metric.update(Metric.withAttributes(waiting, { state }), found?.operations ?? 0)
            yield* Metric.update(Metric.withAttributes(oldest, { state }), seconds)
          }
        })
      })
    })
  )
}

const required = (field: string) => ({
  field,
  code: "required",
  message: "Expected together with requestKey, targetKind and targetId"
})

/** The saved request that a query names whole, undefined when it names none (specification 4.4.1). */
const requestOf = Effect.fnUntraced(function* ({
  postId,
  requestKey,
  targetId,
  targetKey,
  targetKind
}: OperationsQuery) {
  const isNamed = [requestKey, targetKind, targetId, targetKey].some((it) => it !== undefined)
  if (!isNamed) return undefined
  if (
    requestKey === undefined ||
    targetKind === undefined ||
    targetId === undefined ||
    postId !== undefined
  ) {
    const errors = [
      ...(requestKey === undefined ? [required("requestKey")] : []),
      ...(targetKind === undefined ? [required("targetKind")] : []),
      ...(targetId === undefined ? [required("targetId")] : []),
      ...(postId === undefined
        ? []
        : [{ field: "postId", code: "invalid", message: "Expected either postId or a saved request" }])
    ]
    return yield* new ValidationProblem({ errors })
  }
  const target: UploadTarget = { kind: targetKind, id: targetId, key: targetKey ?? "" }
  return { requestKey, target }
})
