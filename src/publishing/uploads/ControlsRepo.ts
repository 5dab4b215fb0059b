import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { StuckUpload } from "../../../schemas/publishing/uploads/rpc.ts"

/** What authors and administrators change of upload operations. */
export class ControlsRepo extends Context.Service<
  ControlsRepo,
  {
    /** Nobody wants the image any more; whoever works on it has lost the lease. A hold stays. */
    readonly cancel: (id: UploadOperationId, at: Date) => Effect.Effect<void>
    /** The same for every image of a Post that is gone. */
    readonly cancelOfPost: (post: PostId, at: Date) => Effect.Effect<void>
    /** False when there is no such operation. */
    readonly setHeld: (id: UploadOperationId, held: boolean, at: Date) => Effect.Effect<boolean>
    /** Screens again what was received and still has its bytes. */
    readonly rescreen: (
      id: UploadOperationId,
      at: Date
    ) => Effect.Effect<"queued" | "without bytes" | "unknown">
    /** Unfinished or held operations that were created before, oldest first. */
    readonly stuck: (createdBefore: Date, limit: number) => Effect.Effect<ReadonlyArray<StuckUpload>>
  }
>()("pennypress/publishing/uploads/ControlsRepo") {
  static readonly layer = Layer.effect(
    ControlsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      // While its bytes arrive there may still come something to clean up.
      const cancelled = (at: Date) => sql`
        update upload_operations set desired = false, attempts = attempts + 1, owed = 'cleanup',
          due_at = case when owed = 'receipt' then greatest(due_at, ${at}) else ${at} end,
          state = case when state in ('rejected', 'failed') then state else 'cancelled' end`

      const stuck = SqlSchema.findAll({
        Request: Schema.Any,
        Result: StuckUpload,
        execute: ({ createdBefore, limit }: { readonly createdBefore: Date; readonly limit: number }) => sql`
          select id as "operationId", owner_id as "ownerId", target_kind as "targetKind", target_id as "targetId", state,
            held, owed, wire_time(created_at) as "createdAt", wire_time(due_at) as "dueAt", retries, failures,
            last_error as "lastError", finding
          from upload_operations
          where created_at < ${createdBefore} and (state in ('receiving', 'queued', 'checking') or held)
          order by created_at, id limit ${limit}`
      })

      return ControlsRepo.of({
        cancel: Effect.fn("ControlsRepo.cancel")(
          (id, at) => sql`
            ${cancelled(at)} where id = ${id} and (desired or state in ('receiving', 'queued', 'checking', 'cleared'))`,
          Effect.asVoid,
          Effect.orDie
        ),

        cancelOfPost: Effect.fn("ControlsRepo.cancelOfPost")(
          (post, at) => sql`
            ${cancelled(at)} where target_id = ${post} and target_kind in ('inline', 'og') and desired`,
          Effect.asVoid,
          Effect.orDie
        ),

        setHeld: Effect.fn("ControlsRepo.setHeld")(function* (id, held, at) {
          // What was due while it was held is due now.
          const changed = yield* sql`
            update upload_operations set held = ${held},
              due_at = case when ${held} or owed is distinct from 'cleanup' then due_at else ${at} end
            where id = ${id} returning id`
          return changed.length === 1
        }, Effect.orDie),

        rescreen: Effect.fn("ControlsRepo.rescreen")(function* (id, at) {
          const [found] = yield* sql<{ readonly is_queued: boolean }>`
            with queued as (
              update upload_operations set state = 'queued', due_at = ${at}, attempts = attempts + 1, retries = 0,
                owed = case when public_url is null then 'promotion' else 'screening' end,
                failures = 0, last_error = null, verdict = null, decided_at = null, engine = null,
                definitions_version = null, known_material_version = null, finding = null
              where id = ${id} and received_at is not null and desired
                and (state in ('queued', 'checking', 'cleared') or staged_bytes > 0)
              returning id
            )
            select exists (select from queued) as is_queued from upload_operations where id = ${id}`
          if (found === undefined) return "unknown"
          return found.is_queued ? "queued" : "without bytes"
        }, Effect.orDie),

        stuck: Effect.fn("ControlsRepo.stuck")((createdBefore, limit) =>
          Effect.orDie(stuck({ createdBefore, limit }))
        )
      })
    })
  )
}
