import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NotificationType } from "../../../../schemas/engagement/notifications/notificationTypes.ts"
import { EmailAddress } from "../../../../schemas/platform/EmailAddress.ts"
import { CommentId, OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../../platform/work/lease.ts"
import { wantsMail } from "./mailsDue.sql.ts"

/**
 * Approximate number of mails that may wait in the outbox for their first attempt. The others wait here, where
 * preferences still count.
 */
const OUTBOX_MAX = 200
/** Number of characters of a Comment that are read: more than a mail quotes. */
const COMMENT_CHARACTERS = 500

/** A mail that this process holds a lease on. */
const DueMail = Schema.Struct({ id: Schema.String, attempts: Schema.Int })
export type DueMail = typeof DueMail.Type

/** The content of a mail as readers see it now. Columns of content that is no longer public are null. */
const MailFacts = Schema.Struct({
  recipient_id: OwnerId,
  mailbox: EmailAddress,
  type: Schema.Union([NotificationType, Schema.Literal("daily_sales")]),
  created_at: Schema.Date,
  code: Schema.NullOr(Schema.String),
  actor_name: Schema.NullOr(Schema.String),
  actor_handle: Schema.NullOr(Schema.String),
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  author_handle: Schema.NullOr(Schema.String),
  slug: Schema.NullOr(Schema.String),
  comment: Schema.NullOr(Schema.String),
  /** The title of a Post of the reader's own, and the beginning of a Comment of theirs, also if it is not public. */
  own_title: Schema.NullOr(Schema.String),
  own_comment: Schema.NullOr(Schema.String),
  comment_id: Schema.NullOr(CommentId),
  thread_root_id: Schema.NullOr(CommentId),
  /** The data of the notification; null if the owner gets only the mail. */
  data: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
})
export type MailFacts = typeof MailFacts.Type

/** Payments of readers on a day, for a Post, or for Comments and the Profile. */
const SoldRow = Schema.Struct({
  post_id: Schema.NullOr(PostId),
  title: Schema.NullOr(Schema.String),
  sales: Schema.Int,
  sales_raw: Schema.String,
  tips: Schema.Int,
  tips_raw: Schema.String,
  /** The number of all sales and tips, and their sum. */
  payments: Schema.Int,
  earned_raw: Schema.String
})
export type SoldRow = typeof SoldRow.Type

export const notificationMailQueue: WorkQueue = { table: "notification_mails" }

/** Statements over `notification_mails`. Causes write these rows together with their notifications. */
export const notificationMailStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe } = statements(sql, "notificationMails")
  const { due, held, leased } = leases(sql, notificationMailQueue)
  const hasRoom = sql`(
    select count(*) from (select from mails where is_bulk and body_id is null and attempts = 0 limit ${OUTBOX_MAX}) waiting
  ) < ${OUTBOX_MAX}`

  const raw = sql.literal("(data ->> 'amountRaw')::numeric")
  const paid = (kind: "purchase" | "tip") => sql.literal(`filter (where data ->> 'kind' = '${kind}')`)
  /** The id before those of a moment: ids begin with the time of their notification. */
  const firstId = (at: Date) => sql`(notification_moment(${at}::timestamptz) || repeat('0', 20))::uuid`

  return {
    /**
     * Sums up by Post the sales and tips from the first moment on and before the second that have no mail of their own, the
     * largest sums first, at most `limit` of them.
     */
    sold: (owner: OwnerId, from: Date, until: Date, limit: number) => many("sold", SoldRow)`
      select s.post_id, p.title, s.sales, s.sales_raw::text as sales_raw, s.tips, s.tips_raw::text as tips_raw,
        s.payments, s.earned_raw::text as earned_raw
      from (
        select case when comment_id is null then post_id end as post_id,
          (count(*) ${paid("purchase")})::integer as sales, coalesce(sum(${raw}) ${paid("purchase")}, 0) as sales_raw,
          (count(*) ${paid("tip")})::integer as tips, coalesce(sum(${raw}) ${paid("tip")}, 0) as tips_raw,
          (sum(count(*)) over ())::integer as payments, sum(sum(${raw})) over () as earned_raw
        from notifications
        where recipient_id = ${owner} and id >= ${firstId(from)} and id < ${firstId(until)}
          and type = 'new_purchase' and not is_mailed
        group by 1 order by sum(${raw}) desc, 1 limit ${sql.literal(String(limit))}) s
      left join lateral (select title from posts where posts.id = s.post_id offset 0) p on true
      order by s.sales_raw + s.tips_raw desc, s.post_id`,

    /** Claims mails that are due, oldest first; none while enough of them wait in the outbox. */
    claim: (claim: Claim) => many("claim", DueMail)`
      with ${due(claim, hasRoom)}
      update notification_mails n set ${leased(claim)} from due where n.id = due.id
      returning n.id, n.attempts`,

    /**
     * Removes a mail, and returns its content. Returns none if the lease has ended, and for a reader who no longer
     * wants the mail.
     */
    take: (lease: Lease) => maybe("take", MailFacts)`
      with taken as (delete from notification_mails where ${held(lease)} returning *)
      select t.recipient_id, o.email as mailbox, t.type, t.created_at, t.code,
        a.name as actor_name, a.handle as actor_handle,
        p.title, p.description, w.handle as author_handle, p.slug,
        left(c.content, ${COMMENT_CHARACTERS}) as comment, c.id as comment_id, c.thread_root_id, n.data,
        op.title as own_title, left(oc.content, ${COMMENT_CHARACTERS}) as own_comment
      from taken t
      join owners o on o.id = t.recipient_id
      left join notification_preferences np on np.owner_id = o.id
      left join public_owners a on a.id = t.actor_id
      left join public_posts p on p.id = t.post_id
      left join owners w on w.id = p.owner_id
      left join notifications n on n.recipient_id = t.recipient_id and n.id = t.id
      left join public_comments c on c.id = t.comment_id
      left join posts op on op.id = t.post_id and op.owner_id = t.recipient_id
      left join comments oc on oc.id = t.comment_id and oc.author_id = t.recipient_id
      where ${wantsMail(sql, sql`t.type`)}
        and (t.comment_id is null or t.type in ('new_purchase', 'account_issue') or not exists (
          select from post_mutes m where m.owner_id = t.recipient_id and m.post_id = t.post_id))
        and (t.type <> 'new_post' or exists (
          select from follows f where f.follower_id = t.recipient_id and f.creator_id = t.actor_id
            and f.ended_at is null and f.notify_new_posts and f.notify_channel_email)
          and not exists (select from subscribers s join mailings g on g.id = t.post_id and g.state <> 'cancelled'
            where s.author_id = t.actor_id and s.mailbox = o.mailbox and s.state = 'active'))`
  }
})
