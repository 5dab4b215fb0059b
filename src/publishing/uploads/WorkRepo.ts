import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { UploadReason, UploadState } from "../../../schemas/publishing/uploads/Upload.ts"
import { LeasedUpload, type Owed, type UploadLease } from "./operation.ts"

/** What becomes of an operation when a lease of it ends; what is not named stays. */
export interface Settlement {
  readonly state?: UploadState
  /** Null when nothing is owed any more. */
  readonly owed?: Owed | null
  readonly due_at?: Date
  readonly last_error?: UploadReason | null
  readonly retries?: number
  readonly failures?: number
  readonly staged_bytes?: number
  readonly public_url?: string
  readonly public_size?: number
  readonly policy_version?: string
  readonly verdict?: "cleared" | "rejected" | "failed"
  readonly decided_at?: Date
  readonly engine?: string | null
  readonly definitions_version?: string | null
  readonly known_material_version?: string | null
  readonly finding?: string | null
}

/** How much work there is. */
export interface Backlog {
  readonly state: UploadState
  readonly operations: number
  readonly oldest: Date
}

interface Taking {
  readonly at: Date
  readonly leaseUntil: Date
  readonly limit: number
}

/** Upload operations as the fibers work on them. */
export class WorkRepo extends Context.Service<
  WorkRepo,
  {
    /**
     * Operations that are due and that nobody else works on, now this process's until the end of the lease. One whose
     * last lease ended while it was being checked has failed once more.
     */
    readonly takeDue: (taking: Taking) => Effect.Effect<ReadonlyArray<LeasedUpload>>
    /** Ends a lease; false when it is another's by now. */
    readonly settle: (lease: UploadLease, settlement: Settlement) => Effect.Effect<boolean>
    /** Cleans up once more what nobody may be shown, as a file of it was written late; nothing for any other. */
    readonly cleanAgain: (id: UploadOperationId, at: Date) => Effect.Effect<void>
    /** What waits or is worked on, by state. */
    readonly backlog: Effect.Effect<ReadonlyArray<Backlog>>
  }
>()("pennypress/publishing/uploads/WorkRepo") {
  static readonly layer = Layer.effect(
    WorkRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      // What is held is evidence: its files stay.
      const takeDue = SqlSchema.findAll({
        Request: Schema.Any,
        Result: LeasedUpload,
        execute: ({ at, leaseUntil, limit }: Taking) => sql`
          with due as materialized (
            select id from upload_operations
            where owed is not null and due_at <= ${at} and not (held and owed = 'cleanup')
            order by due_at limit ${limit} for update skip locked
          )
          update upload_operations u set due_at = ${leaseUntil}, attempts = u.attempts + 1,
            failures = u.failures + (u.owed = 'screening' and u.state = 'checking')::int4,
            state = case when u.owed = 'screening' then 'checking' else u.state end
          from due where u.id = due.id
          returning u.id, u.owner_id, u.target_kind, u.target_id, u.state, u.owed, u.created_at, u.attempts, u.receipts,
            u.retries, u.failures, u.staged_bytes, u.format, encode(u.sha256, 'hex') as sha256, u.width, u.height,
            u.frames, u.desired, u.public_url`
      })

      return WorkRepo.of({
        takeDue: Effect.fn("WorkRepo.takeDue")((taking) => Effect.orDie(takeDue(taking))),

        settle: Effect.fn("WorkRepo.settle")(function* ({ attempts, id }, settlement) {
          const assigned = Object.entries(settlement).map(
            ([column, value]) => sql`${sql.literal(column)} = ${value}`
          )
          const settled = yield* sql`
            update upload_operations set ${sql.csv(assigned)}
            where id = ${id} and attempts = ${attempts} returning id`
          return settled.length === 1
        }, Effect.orDie),

        cleanAgain: Effect.fn("WorkRepo.cleanAgain")(
          (id, at) => sql`
            update upload_operations set owed = 'cleanup', due_at = ${at}, attempts = attempts + 1
            where id = ${id} and state in ('cancelled', 'rejected', 'failed')`,
          Effect.asVoid,
          Effect.orDie
        ),

        backlog: sql<Backlog>`
          select state, count(*)::int4 as operations, min(created_at) as oldest
          from upload_operations where owed is not null and state in ('receiving', 'queued', 'checking')
          group by state`.pipe(Effect.orDie, Effect.withSpan("WorkRepo.backlog"))
      })
    })
  )
}
