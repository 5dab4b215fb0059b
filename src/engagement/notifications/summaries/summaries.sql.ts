import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { DAY_MILLIS, later, MINUTE_MILLIS } from "../../../platform/time/now.ts"
import { type Claim, leases, type WorkQueue } from "../../../platform/work/lease.ts"
import { isHidden } from "../../comments/slices.sql.ts"
import { mailsDue, wantsMail } from "../mails/mailsDue.sql.ts"

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

/** Time between the end of a day, at 07:00 UTC, and the mail about its sales. */
const SALES_MAIL_MILLIS = 60 * MINUTE_MILLIS

/** Returns the beginning of the day that a summary covers. */
export const beginOf = ({ ends_at }: Summary) => later(ends_at, -DAY_MILLIS)

/**
 * Counts what others did for an owner in a span of time. Each count walks over ranges of an index: one of follows, and
 * one for each own Post and Comment. A follow without a notification of its creator is not new. A reaction that changed
 * counts at the time of the first reaction. Comments count on drafts, too, so this looks past `public_comments`.
 */
export const countsOf = (sql: SqlClient.SqlClient, owner: OwnerId, from: Date, until: Date) => {
  const isNew = sql`created_at >= ${from} and created_at < ${until}`
  const reactions = (target: "comment_id" | "post_id") => sql`
    select count(*) as news from reactions
    where ${sql(target)} = target.id and reaction = any('{thumbs_up,heart,fire,clap}') and changed_at >= ${from} and ${isNew}`
  return sql`
    select
      (select count(*) from follows
        where creator_id = ${owner} and ended_at is null and announced_at is not null and ${isNew})::int4 as followers,
      (select coalesce(sum(news), 0) from posts target cross join lateral (
        select count(*) as news from comments c
        where post_id = target.id and ${isNew} and author_id <> ${owner} and deleted_at is null
          and not ${sql.literal(isHidden("c"))}) on_post
        where owner_id = ${owner})::int4 as comments,
      ((select coalesce(sum(news), 0) from posts target cross join lateral (${reactions("post_id")}) on_post
        where owner_id = ${owner})
      + (select coalesce(sum(news), 0) from comments target cross join lateral (${reactions("comment_id")}) on_comment
        where author_id = ${owner}))::int4 as reactions`
}

export const summaryQueue: WorkQueue = { table: "notification_summaries" }

/** Statements over `notification_summaries`, the days with events for an owner. `summaryDue` inserts them. */
export const summaryStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many } = statements(sql, "summaries")
  const { due, held, leased } = leases(sql, summaryQueue)

  return {
    /** Claims days that ended. */
    claim: (claim: Claim) => many("claim", Summary)`
      with ${due(claim)}
      update notification_summaries s set ${leased(claim)} from due where s.id = due.id
      returning s.id::text, s.attempts, s.owner_id, s.ends_at`,

    /**
     * Notifies an owner of their day, and completes the work. Writes nothing if the lease has ended or the day was
     * already summarized: the id of the notification is made from the day and the owner. Returns true when a mail is to
     * be posted.
     */
    notify: (summary: Summary, { sales, tips }: Sold) => changed("notify")`
      with completed as (delete from notification_summaries where ${held(summary)} returning owner_id),
        noted as (
          insert into notifications (recipient_id, id, type, created_at, data)
          select o.id, notification_id(notification_moment(${summary.ends_at}), 'summary', o.id), 'summary',
            ${summary.ends_at}::timestamptz, to_jsonb(day)
          from completed join public_owners o on o.id = completed.owner_id
          cross join lateral (
            select counted.*, ${sales}::int4 as sales, ${tips}::int4 as tips
            from (${countsOf(sql, summary.owner_id, beginOf(summary), summary.ends_at)}) counted) day
          where day.followers + day.comments + day.reactions + day.sales + day.tips > 0
          on conflict do nothing
          returning id, recipient_id, type, created_at, data),
        mails as (
          select id, recipient_id, type, created_at, created_at as due_at from noted
          union all
          select notification_id(notification_moment(created_at), 'daily_sales', recipient_id), recipient_id, 'daily_sales',
            created_at, ${later(summary.ends_at, SALES_MAIL_MILLIS)}::timestamptz
          from noted where (data ->> 'sales')::integer + (data ->> 'tips')::integer > 0)
      insert into ${mailsDue(sql)}
      select mails.id, recipient_id, mails.type, mails.created_at, null, null, null, null, mails.due_at
      from mails join owners o on o.id = recipient_id
      left join notification_preferences np on np.owner_id = recipient_id
      where ${wantsMail(sql, sql`mails.type`)}`
  }
})
