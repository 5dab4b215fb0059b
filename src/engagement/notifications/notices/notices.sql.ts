import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { NotificationType } from "../../../../schemas/engagement/notifications/notificationTypes.ts"
import type { CommentId, OwnerId, PostId, PurchaseId } from "../../../../schemas/platform/Ids.ts"
import { isRestricted } from "../../../accounts/owners/owners.sql.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { mailsDue, wantsMail } from "../mails/mailsDue.sql.ts"

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

const MailedRow = Schema.Struct({ mailed: Schema.Int })

/**
 * Makes the function that writes the notifications of one cause for single owners, within its transaction, and the mails
 * to post about it. An owner who is notified for two reasons gets one mail. A repeated cause notifies no one. Returns the
 * number of mails.
 */
export const makeNotify = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "notices")

  return (at: Date, notifications: ReadonlyArray<NewNotification>) =>
    Effect.map(
      one("notify", MailedRow)`
        with wanted as (
          select * from jsonb_to_recordset(${JSON.stringify(notifications)}::jsonb) as wanted(
            recipient_id uuid, type text, cause text, actor_id uuid, post_id uuid, comment_id uuid, purchase_id uuid,
            follower_id uuid, data jsonb)
        ), noted as (
          insert into notifications (recipient_id, id, type, created_at, actor_id, post_id, comment_id, purchase_id,
            follower_id, data)
          select w.recipient_id, notification_id(notification_moment(${at}), w.type || w.cause, w.recipient_id), w.type,
            ${at}, w.actor_id, w.post_id, w.comment_id, w.purchase_id, w.follower_id, coalesce(w.data, '{}')
          from wanted w join owners o on o.id = w.recipient_id
          where (w.type = 'account_issue' or not ${sql.literal(isRestricted("o"))})
            -- A muted discussion announces nothing but money.
            and (w.type = 'new_purchase' or w.post_id is null or w.comment_id is null or not exists (
              select from post_mutes m where m.owner_id = w.recipient_id and m.post_id = w.post_id))
          on conflict do nothing
          returning recipient_id, id, type, created_at, actor_id, post_id, comment_id, data
        ), mailed as (
          insert into ${mailsDue(sql)}
          select distinct on (n.recipient_id) n.id, n.recipient_id, n.type, n.created_at, n.actor_id, n.post_id,
            n.comment_id, n.data ->> 'code', n.created_at
          from noted n join owners o on o.id = n.recipient_id
          left join notification_preferences np on np.owner_id = o.id
          where ${wantsMail(sql, sql`n.type`)}
          -- The author of a Post who is replied to there gets the mail about the reply.
          order by n.recipient_id, n.type = 'comment_reply' desc
          on conflict do nothing
          returning 1
        )
        select count(*)::int4 as mailed from mailed`,
      ({ mailed }) => mailed
    )
})
