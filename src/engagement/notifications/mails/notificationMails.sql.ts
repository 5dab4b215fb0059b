import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NotificationType } from "../../../../schemas/engagement/notifications/notificationTypes.ts"
import { EmailAddress } from "../../../../schemas/platform/EmailAddress.ts"
import { CommentId, OwnerId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../../platform/work/lease.ts"
import { hasDailySales, wantsMail } from "./mailsDue.sql.ts"

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
  /** True for an owner whose sales come in a mail of their own. */
  has_daily_sales: Schema.Boolean,
  /** The data of the notification; null if the owner gets only the mail. */
  data: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
})
export type MailFacts = typeof MailFacts.Type

export const notificationMailQueue: WorkQueue = { table: "notification_mails" }

/** Statements over `notification_mails`. Causes write these rows together with their notifications. */
export const notificationMailStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe } = statements(sql, "notificationMails")
  const { due, held, leased } = leases(sql, notificationMailQueue)
  const hasRoom = sql`(
    select count(*) from (select from mails where is_bulk and attempts = 0 limit ${OUTBOX_MAX}) waiting
  ) < ${OUTBOX_MAX}`

  return {
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
        op.title as own_title, left(oc.content, ${COMMENT_CHARACTERS}) as own_comment,
          ${hasDailySales(sql)} as has_daily_sales
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
            and f.ended_at is null and f.notify_new_posts and f.notify_channel_email))`
  }
})
