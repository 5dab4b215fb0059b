import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { DAY_MILLIS, later } from "../../../platform/time/now.ts"
import { type Claim, leases } from "../../../platform/work/lease.ts"
import { idPrefix } from "../ids/idPrefix.ts"
import { mailsDue, wantsMail } from "../mails/mailsDue.sql.ts"
import { happenedTo } from "./happened.sql.ts"

/** A day of an owner that this process holds a lease on. */
const Summary = Schema.Struct({
  id: Schema.String,
  attempts: Schema.Int,
  owner_id: OwnerId,
  ends_at: Schema.Date
})
export type Summary = typeof Summary.Type

/** Numbers of sales and of tips on a day. */
interface Sold {
  readonly sales: number
  readonly tips: number
}

/** Returns the beginning of the day that a summary covers. */
export const beginOf = ({ ends_at }: Summary) => later(ends_at, -DAY_MILLIS)

/** Days with events for an owner. Triggers on the events write them. */
export class SummariesRepo extends Context.Service<
  SummariesRepo,
  {
    /** Claims days that ended. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Summary>>
    /**
     * Notifies an owner of their day, and completes the work. Writes nothing if the lease has ended or the day was
     * already summarized: the id of the notification is made from the day and the owner. Returns true when a mail is to
     * be posted.
     */
    readonly tell: (summary: Summary, sold: Sold) => Effect.Effect<boolean>
  }
>()("pennypress/engagement/notifications/summaries/SummariesRepo") {
  static readonly layer = Layer.effect(
    SummariesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { changed, many } = statements(sql, "SummariesRepo")
      const { due, held, leased } = leases(sql, "notification_summaries")

      return SummariesRepo.of({
        claim: (claim) => many("claim", Summary)`
          with ${due(claim)}
          update notification_summaries s set ${leased(claim)} from due where s.id = due.id
          returning s.id::text, s.attempts, s.owner_id, s.ends_at`,

        tell: (summary, { sales, tips }) => changed("tell")`
          with completed as (delete from notification_summaries where ${held(summary)} returning owner_id),
            noted as (
              insert into notifications (recipient_id, id, type, created_at, data)
              select o.id, notification_id(${idPrefix(summary.ends_at)}, 'summary', o.id), 'summary',
                ${summary.ends_at}::timestamptz, to_jsonb(day)
              from completed join owners o on o.id = completed.owner_id and o.restricted_at is null
              cross join lateral (
                select happened.*, ${sales}::int4 as sales, ${tips}::int4 as tips
                from (${happenedTo(sql, summary.owner_id, beginOf(summary), summary.ends_at)}) happened) day
              where day.followers + day.comments + day.reactions + day.sales + day.tips > 0
              on conflict do nothing
              returning id, recipient_id, type, created_at)
          insert into ${mailsDue(sql)}
          select noted.id, recipient_id, noted.type, noted.created_at, null, null, null, null, noted.created_at
          from noted join owners o on o.id = recipient_id
          left join notification_preferences np on np.owner_id = recipient_id
          where ${wantsMail(sql, sql`noted.type`)}`
      })
    })
  )
}
