import { Schema } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import { Whole } from "../arguments.ts"
import { UNTRUSTED } from "../edition.ts"
import { strictTool, READS } from "../tool.ts"
import { IntentId, OperationStatus } from "./operations.ts"

const nullableText = Schema.NullOr(Schema.String)

/** A notification. The name of its actor, and the facts of its type, are under `untrusted`. */
export const LocalNotification = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  createdAt: Schema.String,
  readAt: nullableText,
  actorId: nullableText,
  actorHandle: nullableText,
  postId: nullableText,
  commentId: nullableText,
  purchaseId: nullableText,
  followerId: nullableText,
  untrusted: Schema.Struct({ actorName: nullableText, data: Schema.Record(Schema.String, Schema.String) })
})
export type LocalNotification = typeof LocalNotification.Type

export const NotificationsArguments = Schema.Struct({
  include_all: Schema.optionalKey(Schema.Boolean.annotate({ description: "Read ones, too" })),
  limit: Schema.optionalKey(
    Whole.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({ description: "Default 20" })
  ),
  offset: Schema.optionalKey(Whole.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })))
})
export type NotificationsArguments = typeof NotificationsArguments.Type

const notifications = strictTool("svc_notifications", "Notifications", {
  description: `The owner's notifications, the newest first. ${UNTRUSTED}`,
  hints: READS,
  parameters: NotificationsArguments,
  success: Schema.Struct({
    notifications: Schema.Array(LocalNotification),
    total: Whole,
    unread: Whole,
    hasMore: Schema.Boolean,
    hiddenCharactersRemoved: Whole
  })
})

export const MarkReadArguments = Schema.Struct({
  intent_id: Schema.optionalKey(IntentId),
  ids: Schema.Array(IntentId).check(Schema.isMaxLength(100))
})
export type MarkReadArguments = typeof MarkReadArguments.Type

const markRead = strictTool("svc_notifications_mark_read", "Mark notifications as read", {
  description: "Mark notifications as read by their ids.",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  parameters: MarkReadArguments,
  success: Schema.Struct({ operation: OperationStatus, updated: Whole })
})

/** The toolset of notifications. */
export const NotificationToolkit = Toolkit.make(notifications, markRead)
