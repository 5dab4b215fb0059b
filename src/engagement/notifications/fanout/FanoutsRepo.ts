import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { type Claim, type Lease, leases } from "../../../platform/work/lease.ts"
import { batchOf } from "./batch.sql.ts"

const columns = {
  id: Schema.String,
  type: Schema.Literals(["new_post", "commented_post_activity"]),
  post_id: PostId,
  comment_id: Schema.NullOr(CommentId),
  actor_id: OwnerId,
  reply_target_author_id: Schema.NullOr(OwnerId),
  created_at: Schema.Date
}

const NewFanout = Schema.Struct(columns)
/** A cause of which many owners are notified. */
export type NewFanout = typeof NewFanout.Type

/** A fan-out that this process holds a lease on. `position` is the last recipient that was notified. */
export const Fanout = Schema.Struct({
  ...columns,
  attempts: Schema.Int,
  position: Schema.NullOr(OwnerId)
})
export type Fanout = typeof Fanout.Type

const HeldRow = Schema.Struct({ id: Schema.String })

/** The number of recipients that a batch considered, the last of them, and the number of mails to post. */
const BatchRow = Schema.Struct({ considered: Schema.Int, mailed: Schema.Int, last: Schema.NullOr(OwnerId) })

/** Causes of which a worker notifies many owners. */
export class FanoutsRepo extends Context.Service<
  FanoutsRepo,
  {
    /** Saves a cause, due at once. */
    readonly insert: (fanout: NewFanout) => Effect.Effect<void>
    /** Claims fan-outs that are due. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Fanout>>
    /** Locks a fan-out for the surrounding transaction. Fails as a defect when its lease ended. */
    readonly hold: (lease: Lease) => Effect.Effect<void>
    /** Lets this fan-out take over other ones about the same discussion, at most `limit` that no process has begun. */
    readonly merge: (fanout: Fanout, limit: number) => Effect.Effect<void>
    /** Writes the notifications and mails of the next recipients, at most `limit`, in the order of their ids. */
    readonly tellNext: (fanout: Fanout, limit: number) => Effect.Effect<typeof BatchRow.Type>
    /** Saves the last recipient that was notified. The fan-out is due at once for its next batch. */
    readonly advance: (lease: Lease, position: OwnerId, at: Date) => Effect.Effect<void>
    /** Removes a completed fan-out, and those that it took over. */
    readonly complete: (lease: Lease) => Effect.Effect<void>
  }
>()("pennypress/engagement/notifications/fanout/FanoutsRepo") {
  static readonly layer = Layer.effect(
    FanoutsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { many, one, run } = statements(sql, "FanoutsRepo")
      const { due, held, leased } = leases(sql, "notification_fanouts")

      return FanoutsRepo.of({
        insert: (fanout) => run("insert")`
          insert into notification_fanouts ${sql.insert({ ...fanout, due_at: fanout.created_at })}`,

        claim: (claim) => many("claim", Fanout)`
          with ${due(claim)}
          update notification_fanouts f set ${leased(claim)} from due where f.id = due.id
          returning f.id, f.attempts, f.type, f.post_id, f.comment_id, f.actor_id, f.reply_target_author_id,
            f.created_at, f.position`,

        hold: (lease) =>
          Effect.asVoid(
            one("hold", HeldRow)`select id from notification_fanouts where ${held(lease)} for update`
          ),

        // A fan-out that another process claims meanwhile is left to it.
        merge: ({ id, post_id }, limit) => run("merge")`
          update notification_fanouts set merged_into = ${id}, due_at = 'infinity'
          where id = any(array(
            select id from notification_fanouts
            where post_id = ${post_id} and type = 'commented_post_activity' and attempts = 0 and merged_into is null
            order by id limit ${limit} for update skip locked))`,

        tellNext: (fanout, limit) => one("tellNext", BatchRow)`${batchOf(sql, fanout, limit)}`,

        advance: (lease, position, at) => run("advance")`
          update notification_fanouts set position = ${position}, due_at = ${at} where ${held(lease)}`,

        complete: (lease) => run("complete")`
          delete from notification_fanouts where merged_into = ${lease.id} or (${held(lease)})`
      })
    })
  )
}
