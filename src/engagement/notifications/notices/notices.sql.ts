import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { NotificationType } from "../../../../schemas/engagement/notifications/notificationTypes.ts"
import type { CommentId, OwnerId, PostId, PurchaseId } from "../../../../schemas/platform/Ids.ts"
import { isRestricted } from "../../../accounts/owners/owners.sql.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { newFanout } from "../fanout/fanouts.sql.ts"
import { mailsDue, wantsMail, wantsSalesAtOnce } from "../mails/mailsDue.sql.ts"
import { summaryDue } from "./summaryDue.sql.ts"

/** A notification for one owner. */
export interface NewNotification {
  readonly recipient_id: OwnerId
  readonly type: NotificationType
  /** Names the cause: the same cause notifies a recipient once. */
  readonly cause: string
  readonly actor_id?: OwnerId
  readonly post_id?: PostId
  readonly comment_id?: CommentId
  readonly purchase_id?: PurchaseId
  readonly follower_id?: OwnerId
  readonly data?: Readonly<Record<string, unknown>>
}

/** A Comment that is saved. `fanoutId` is a new id. */
export interface CommentedNotice {
  readonly fanoutId: string
  readonly commentId: CommentId
  readonly postId: PostId
  readonly postAuthorId: OwnerId
  readonly authorId: OwnerId
  /** The author of the Comment that it replies to; null for a root. */
  readonly replyTargetAuthorId: OwnerId | null
  readonly at: Date
}

const MailedRow = Schema.Struct({ mailed: Schema.Int })

/**
 * The common table expressions that write notifications of one cause for single owners, and the mails to post about
 * them, which are `mailed`. `wanted` selects the columns of `NewNotification`. An owner who is notified for two reasons
 * gets one mail. The choice at this moment decides if a sale or tip has a mail of its own, or that of the day. A repeated
 * cause notifies no one. The summary of a day counts follows, Comments on own Posts, sales and tips, whether its owner is
 * notified of them or not.
 */
const notified = (sql: SqlClient.SqlClient, at: Date, wanted: Statement.Fragment) => sql`
  wanted as (${wanted}),
  noted as (
    insert into notifications (recipient_id, id, type, created_at, actor_id, post_id, comment_id, purchase_id,
      follower_id, data, is_mailed)
    select w.recipient_id, notification_id(notification_moment(${at}), w.type || w.cause, w.recipient_id), w.type,
      ${at}, w.actor_id, w.post_id, w.comment_id, w.purchase_id, w.follower_id, coalesce(w.data, '{}'),
      ${wantsMail(sql, sql`w.type`)} and (w.type <> 'new_purchase' or ${wantsSalesAtOnce(sql)})
    from wanted w join owners o on o.id = w.recipient_id
    left join notification_preferences np on np.owner_id = o.id
    where (w.type = 'account_issue' or not ${sql.literal(isRestricted("o"))})
      -- A muted discussion announces nothing but money and decisions of moderators.
      and (w.type in ('new_purchase', 'account_issue') or w.post_id is null or w.comment_id is null or not exists (
        select from post_mutes m where m.owner_id = w.recipient_id and m.post_id = w.post_id))
    on conflict do nothing
    returning recipient_id, id, type, created_at, actor_id, post_id, comment_id, data, is_mailed
  ), mailed as (
    insert into ${mailsDue(sql)}
    select distinct on (n.recipient_id) n.id, n.recipient_id, n.type, n.created_at, n.actor_id, n.post_id,
      n.comment_id, n.data ->> 'code', n.created_at
    from noted n where n.is_mailed
    -- The author of a Post who is replied to there gets the mail about the reply.
    order by n.recipient_id, n.type = 'comment_reply' desc
    on conflict do nothing
    returning 1
  ), summarized as (${summaryDue(
    sql,
    at,
    sql`select recipient_id from wanted where type in ('new_comment', 'new_follow', 'new_purchase')`
  )})`

const wantedOf = (sql: SqlClient.SqlClient, notifications: ReadonlyArray<NewNotification>) => sql`
  select * from jsonb_to_recordset(${JSON.stringify(notifications)}::jsonb) as wanted(
    recipient_id uuid, type text, cause text, actor_id uuid, post_id uuid, comment_id uuid, purchase_id uuid,
    follower_id uuid, data jsonb)`

/** The number of mails to post, of a statement that notifies. */
export const mailedCount = "(select count(*) from mailed)::int4 as mailed"

/** Returns the notifications of a Comment for single owners. Its author gets none. */
const notificationsOf = (notice: CommentedNotice): ReadonlyArray<NewNotification> => {
  const { authorId, commentId, postAuthorId, postId, replyTargetAuthorId } = notice
  const about = { cause: commentId, actor_id: authorId, post_id: postId, comment_id: commentId }
  const recipients = [
    { type: "comment_reply", recipient_id: replyTargetAuthorId },
    { type: "new_comment", recipient_id: postAuthorId }
  ] as const
  return recipients.flatMap(({ recipient_id, type }) =>
    recipient_id === null || recipient_id === authorId ? [] : [{ ...about, type, recipient_id }]
  )
}

/**
 * The common table expressions that notify of a Comment in the statement that saves it: the authors who are addressed,
 * and by a fan-out those who commented before.
 */
export const commentNotices = (sql: SqlClient.SqlClient, notice: CommentedNotice) => sql`
  ${notified(sql, notice.at, wantedOf(sql, notificationsOf(notice)))},
  fanned as (${newFanout(sql, {
    id: notice.fanoutId,
    type: "commented_post_activity",
    post_id: notice.postId,
    comment_id: notice.commentId,
    actor_id: notice.authorId,
    reply_target_author_id: notice.replyTargetAuthorId,
    created_at: notice.at
  })})`

/**
 * The common table expressions that notify creators of follows, in the statement that begins them. `begun` has the
 * follows to announce.
 */
export const followNotices = (sql: SqlClient.SqlClient, at: Date, begun: Statement.Fragment) =>
  notified(
    sql,
    at,
    sql`
      select creator_id as recipient_id, 'new_follow' as type, follower_id::text as cause, follower_id as actor_id,
        null::uuid as post_id, null::uuid as comment_id, null::uuid as purchase_id, follower_id, null::jsonb as data
      from ${begun}`
  )

/**
 * Makes the function that writes the notifications of one cause for single owners, within its transaction, and the mails
 * to post about it. Returns the number of mails.
 */
export const makeNotify = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "notices")
  return (at: Date, notifications: ReadonlyArray<NewNotification>) =>
    Effect.map(
      one("notify", MailedRow)`
        with ${notified(sql, at, wantedOf(sql, notifications))} select ${sql.literal(mailedCount)}`,
      ({ mailed }) => mailed
    )
})
