import { Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId, UploadOperationId, UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import { StuckUpload } from "../../../../schemas/publishing/uploads/rpc.ts"
import { UploadState } from "../../../../schemas/publishing/uploads/Upload.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { leases } from "../../../platform/work/lease.ts"
import type { Lease, Operation } from "../operation/operation.ts"
import type { Settlement } from "../operation/settlement.ts"
import type { UploadTarget } from "../operation/target.ts"
import { claimStatement, type Claim } from "./claims.sql.ts"
import { assignments, operationColumns, OperationRow, TaskColumn } from "./operations.sql.ts"
import { type PlaceStatements, placeStatements } from "./places.sql.ts"
import { type ReservationStatements, reservationStatements } from "./reservations.sql.ts"
import { shownStatement, UploadRow } from "./shown.sql.ts"

/** Maximum number of operations in a list. */
const LIST_MAX = 200

/** Number of unfinished operations of a state, and the age of the oldest. */
const Backlog = Schema.Struct({ state: UploadState, operations: Schema.Int, oldest: Schema.Date })
export type Backlog = typeof Backlog.Type

/** A stuck operation with its task as the table has it. */
const StuckRow = StuckUpload.mapFields(Struct.assign({ nextTask: TaskColumn }))

/** Kind of leased work, which names its bell. */
export const UPLOADS = "uploads"

/** Upload operations: the only SQL that writes `upload_operations` and `upload_transfers`. */
export class UploadOperationsRepo extends Context.Service<
  UploadOperationsRepo,
  ReservationStatements &
    PlaceStatements & {
      /** Writes what an event changes. Returns false when another lease has begun since the operation was read. */
      readonly settle: (lease: Lease, settlement: Settlement) => Effect.Effect<boolean>
      /** Settles operations that the surrounding transaction holds, by one statement for each that changes. */
      readonly settleAll: (
        operations: ReadonlyArray<Operation>,
        change: (operation: Operation) => Settlement | undefined
      ) => Effect.Effect<void>
      /**
       * Forgets an operation whose file was refused, so that its key is free again. Returns false when another lease has
       * begun.
       */
      readonly forget: (lease: Lease) => Effect.Effect<boolean>
      /** Holds an operation until the surrounding transaction ends. */
      readonly lock: (id: UploadOperationId) => Effect.Effect<Option.Option<Operation>>
      /** Holds the desired images, and all attachments, of a Post until the surrounding transaction ends. */
      readonly lockOfPost: (post: PostId) => Effect.Effect<ReadonlyArray<Operation>>
      /** Holds the desired header images of an owner until the surrounding transaction ends. */
      readonly lockHeaders: (owner: OwnerId) => Effect.Effect<ReadonlyArray<Operation>>
      /** Claims operations whose task is due, shared fairly between owners. */
      readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Operation>>
      readonly find: (owner: OwnerId, id: UploadOperationId) => Effect.Effect<Option.Option<UploadRow>>
      /** The operation of a saved request key, when its target is this one. */
      readonly findByRequest: (
        owner: OwnerId,
        requestKey: string,
        target: UploadTarget
      ) => Effect.Effect<ReadonlyArray<UploadRow>>
      /** Images of a target, or its attachments, newest first, 200 at most. */
      readonly list: (
        owner: OwnerId,
        target: UploadTargetId,
        kind: "image" | "attachment"
      ) => Effect.Effect<ReadonlyArray<UploadRow>>
      readonly ownsPost: (owner: OwnerId, post: UploadTargetId) => Effect.Effect<boolean>
      /** Unfinished or held operations that were created before, oldest first. */
      readonly stuck: (createdBefore: Date, limit: number) => Effect.Effect<ReadonlyArray<StuckUpload>>
      readonly backlog: Effect.Effect<ReadonlyArray<Backlog>>
      /** Forgets the transfers that no limit counts any more. */
      readonly sweepTransfers: (begunBefore: Date) => Effect.Effect<void>
    }
>()("pennypress/publishing/uploads/repository/UploadOperationsRepo") {
  static readonly layer = Layer.effect(
    UploadOperationsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const words = statements(sql, "UploadOperationsRepo")
      const { changed, many, maybe, run } = words
      const columns = sql.literal(operationColumns)
      const shown = shownStatement(sql)

      const { held } = leases(sql, "upload_operations")

      const settle = (lease: Lease, settlement: Settlement) => changed("settle")`
        update upload_operations set ${assignments(sql, settlement)} where ${held(lease)}`

      return UploadOperationsRepo.of({
        ...reservationStatements(sql, words),
        ...placeStatements(sql, words),
        settle,

        settleAll: (operations, change) =>
          Effect.forEach(
            operations,
            (operation) => {
              const settlement = change(operation)
              return settlement === undefined ? Effect.void : settle(operation, settlement)
            },
            { discard: true }
          ),

        forget: (lease) => changed("forget")`
          delete from upload_operations where ${held(lease)} and state = 'receiving'`,

        lock: (id) => maybe("lock", OperationRow)`
          select ${columns} from upload_operations u where u.id = ${id} for update`,

        lockOfPost: (post) => many("lockOfPost", OperationRow)`
          select ${columns} from upload_operations u
          where u.target_id = ${post}
            and (u.target_kind = 'attachment' or (u.target_kind in ('inline', 'og') and u.desired))
          order by u.id for update`,

        lockHeaders: (owner) => many("lockHeaders", OperationRow)`
          select ${columns} from upload_operations u
          where u.owner_id = ${owner} and u.target_id = ${owner} and u.target_kind = 'header' and u.desired
          order by u.id for update`,

        claim: (claim) => many("claim", OperationRow)`${claimStatement(sql, claim)}`,

        find: (owner, id) => maybe("find", UploadRow)`${shown(sql`u.id = ${id} and u.owner_id = ${owner}`)}`,

        findByRequest: (owner, requestKey, target) =>
          many("findByRequest", UploadRow)`${shown(sql`
          u.owner_id = ${owner} and u.request_key = ${requestKey} and u.target_kind = ${target.kind}
          and u.target_id = ${target.id} and (u.target_key = ${target.key} or u.target_kind = 'attachment')`)}`,

        list: (owner, target, kind) =>
          many("list", UploadRow)`${shown(sql`
          u.owner_id = ${owner} and u.target_id = ${target}
          and (u.target_kind = 'attachment') = ${kind === "attachment"}
          order by u.created_at desc, u.id desc limit ${sql.literal(String(LIST_MAX))}`)}`,

        ownsPost: (owner, post) =>
          Effect.map(
            maybe(
              "ownsPost",
              Schema.Struct({})
            )`select from posts where id = ${post} and owner_id = ${owner}`,
            Option.isSome
          ),

        stuck: (createdBefore, limit) => many("stuck", StuckRow)`
          select id as "operationId", owner_id as "ownerId", target_kind as "targetKind", target_id as "targetId",
            state, held, owed as "nextTask", wire_time(created_at) as "createdAt", wire_time(due_at) as "dueAt", retries, failures,
            last_error as "lastError", finding
          from upload_operations
          where created_at < ${createdBefore} and (unfinished or held)
          order by created_at, id limit ${limit}`,

        backlog: many("backlog", Backlog)`
          select state, count(*)::int4 as operations, min(created_at) as oldest
          from upload_operations where owed is not null and unfinished group by state`,

        sweepTransfers: (begunBefore) => run("sweepTransfers")`
          delete from upload_transfers where begun_at < ${begunBefore}`
      })
    })
  )
}
