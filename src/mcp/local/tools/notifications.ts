import { Effect } from "effect"
import type { Notification } from "../../../../schemas/engagement/notifications/Notification.ts"
import {
  type LocalNotification,
  type MarkReadArguments,
  type NotificationsArguments,
  NotificationToolkit
} from "../../../../schemas/mcp/local/notificationTools.ts"
import { Cleaner } from "../../tools/untrusted.ts"
import { makeMarkRead } from "../engagement/MarkRead.ts"
import { Intents } from "../intents/Intents.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"

/** Maximum number of characters of one value in a notification. */
const VALUE_MAX = 500

const dataOf = (data: Notification["data"], cleaner: Cleaner) =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      cleaner.text(typeof value === "string" ? value : JSON.stringify(value)).slice(0, VALUE_MAX)
    ])
  )

const cardOf = (notification: Notification, cleaner: Cleaner): LocalNotification => ({
  id: notification.id,
  type: notification.type,
  createdAt: notification.created_at,
  readAt: notification.read_at,
  actorId: notification.actor?.id ?? null,
  actorHandle: notification.actor?.handle ?? null,
  postId: notification.post_id,
  commentId: notification.comment_id,
  purchaseId: notification.purchase_id,
  followerId: notification.follower_id,
  untrusted: {
    actorName: cleaner.nullable(notification.actor?.name ?? null),
    data: dataOf(notification.data, cleaner)
  }
})

/** The handlers of the toolset `notifications`. */
export const makeNotificationHandlers = Effect.gen(function* () {
  const sessions = yield* Sessions
  const intents = yield* Intents
  const { client } = yield* ServiceApi
  const markRead = yield* makeMarkRead

  const feed = Effect.fnUntraced(function* (wanted: NotificationsArguments) {
    const { include_all: includeAll = false, limit = 20, offset = 0 } = wanted
    const found = yield* sessions.asOwner(client.notifications.feed({ query: { includeAll, limit, offset } }))
    const cleaner = new Cleaner()
    const notifications = found.notifications.map((notification) => cardOf(notification, cleaner))
    return {
      notifications,
      total: found.total,
      unread: found.unread,
      hasMore: found.pagination.hasMore,
      hiddenCharactersRemoved: cleaner.removed
    }
  })

  return NotificationToolkit.of({
    svc_notifications: feed,
    svc_notifications_mark_read: ({ intent_id: id, ...args }: MarkReadArguments) =>
      intents.run(markRead, args, id)
  })
})
