import { Schema } from "effect"
import { Notification } from "../../../../schemas/engagement/notifications/Notification.ts"
import { OwnerId } from "../../../../schemas/platform/Ids.ts"
import type { OwnMedia } from "../../../platform/media/OwnMedia.ts"

const { actor: _actor, ...columns } = Notification.fields

const counts = { total: Schema.Int, unread: Schema.Int }

const NotificationRow = Schema.Struct({
  ...counts,
  ...columns,
  actor_id: Schema.NullOr(OwnerId),
  actor_name: Schema.NullOr(Schema.String),
  actor_handle: Schema.NullOr(Schema.String),
  actor_avatar_url: Schema.NullOr(Schema.String)
})

/** A notification with the counts of its feed. An empty page is one row without a notification. */
export const FeedRow = Schema.Union([NotificationRow, Schema.Struct({ ...counts, id: Schema.Null })])
export type FeedRow = typeof FeedRow.Type

/** Returns the notification of a row. */
export const notificationOf = (
  row: typeof NotificationRow.Type,
  { urlOf }: OwnMedia["Service"]
): Notification => {
  const { actor_avatar_url, actor_handle, actor_id, actor_name, total: _total, unread: _unread, ...own } = row
  const actor =
    actor_id === null || actor_name === null || actor_handle === null
      ? null
      : { id: actor_id, name: actor_name, handle: actor_handle, avatarUrl: urlOf(actor_avatar_url) }
  return { ...own, actor }
}
