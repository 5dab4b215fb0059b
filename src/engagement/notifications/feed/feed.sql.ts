import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import {
  FEED_MAX,
  type NotificationContext
} from "../../../../schemas/engagement/notifications/Notification.ts"
import type { NotificationType } from "../../../../schemas/engagement/notifications/notificationTypes.ts"
import {
  emailKeys,
  preferenceDefaults,
  type PreferenceKey
} from "../../../../schemas/engagement/notifications/Preferences.ts"
import type { NotificationId, OwnerId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { FeedRow } from "./feedRow.ts"

/** A page of a feed. */
interface FeedQuery {
  readonly owner: OwnerId
  /** Types that the feed shows. */
  readonly types: ReadonlyArray<NotificationType>
  readonly includeAll: boolean
  readonly limit: number
  readonly offset: number
}

const UnreadRow = Schema.Struct({ unread: Schema.Int })
const UpdatedRow = Schema.Struct({ updated: Schema.Int })

/** Statements over the notifications of a recipient, to read and to mark. */
export const feedStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, one } = statements(sql, "feed")

  // The order of ids is that of created_at and id: an id begins with the time of its notification.
  const newest = (query: FeedQuery, isUnread: boolean) => sql`
    select id from notifications
    where recipient_id = ${query.owner} and type = any(${query.types}::text[])
      ${isUnread ? sql`and read_at is null` : sql``}
    order by id desc limit ${FEED_MAX}`

  const preference = (key: PreferenceKey) => `coalesce(np.${key}, ${String(preferenceDefaults[key])})`
  const shownByType = Struct.keys(emailKeys).map(
    (type) => `when '${type}' then ${preference(`${emailKeys[type]}_inapp`)}`
  )
  const isShown = sql.literal(
    `${preference("in_app_notifications")} and case n.type ${shownByType.join(" ")} end`
  )

  /** Marks the unread notifications of an owner that meet a condition. */
  const mark =
    (name: string) =>
    (owner: OwnerId, at: Date, condition = sql`true`) =>
      Effect.map(
        one(name, UpdatedRow)`
        with marked as (
          update notifications set read_at = ${at}
          where recipient_id = ${owner} and read_at is null and ${condition} returning 1)
        select count(*)::int4 as updated from marked`,
        ({ updated }) => updated
      )
  const markIds = mark("markIds")
  const markContext = mark("markContext")
  const markAll = mark("markAll")

  return {
    /** Returns a page, newest first; each row has the counts of the feed. */
    page: (query: FeedQuery) => many("page", FeedRow)`
      with unread as materialized (${newest(query, true)}),
        feed as materialized (${query.includeAll ? newest(query, false) : sql`select id from unread`}),
        page as (select id from feed order by id desc limit ${query.limit} offset ${query.offset})
      select counts.total, counts.unread, n.id, n.type, wire_time(n.created_at) as created_at,
        wire_time(n.read_at) as read_at, n.post_id, n.comment_id, n.purchase_id, n.follower_id, n.data,
        a.id as actor_id, a.name as actor_name, a.handle as actor_handle, a.avatar_url as actor_avatar_url
      from (
        select (select count(*) from feed)::int4 as total, (select count(*) from unread)::int4 as unread) counts
      left join page on true
      left join notifications n on n.recipient_id = ${query.owner} and n.id = page.id
      -- One look for each actor, rather than a walk of all owners.
      left join lateral (
        select * from public_owners where public_owners.id = n.actor_id offset 0) a on true
      order by n.id desc`,

    /** Counts the unread notifications of the types that the owner has in the feed. */
    unread: (owner: OwnerId) =>
      Effect.map(
        one("unread", UnreadRow)`
          select count(*)::int4 as unread from (
            select from owners o
            left join notification_preferences np on np.owner_id = o.id
            join notifications n on n.recipient_id = o.id and n.read_at is null
            where o.id = ${owner} and ${isShown} limit ${sql.literal(String(FEED_MAX))}) unread`,
        ({ unread }) => unread
      ),

    /** Marks unread notifications of the owner by id, and returns their number. */
    markIds: (owner: OwnerId, ids: ReadonlyArray<NotificationId>, at: Date) =>
      markIds(owner, at, sql`id = any(${ids}::uuid[])`),

    /** Marks unread notifications of the owner that match every filter, and returns their number. */
    markContext: (owner: OwnerId, context: NotificationContext, at: Date) => {
      const { types = [] } = context
      const ids = [
        ["post_id", context.postId ?? context.post_id],
        ["purchase_id", context.purchaseId ?? context.purchase_id],
        ["comment_id", context.commentId ?? context.comment_id],
        ["follower_id", context.followerId ?? context.follower_id]
      ] as const
      return markContext(
        owner,
        at,
        sql`${sql.and([
          ...ids.flatMap(([column, id]) => (id === undefined ? [] : [sql`${sql(column)} = ${id}`])),
          ...(types.length === 0 ? [] : [sql`type = any(${types}::text[])`])
        ])}`
      )
    },

    /** Marks all unread notifications of the owner, and returns their number. */
    markAll: (owner: OwnerId, at: Date) => markAll(owner, at),

    /** Removes some notifications that are older than this moment. Returns their number. */
    sweep: (olderThan: Date, limit: number) =>
      Effect.map(
        one("sweep", UpdatedRow)`
          with removed as (
            delete from notifications where ctid = any(array(
              select ctid from notifications where created_at < ${olderThan} order by created_at limit ${limit}))
            returning 1)
          select count(*)::int4 as updated from removed`,
        ({ updated }) => updated
      )
  }
})
