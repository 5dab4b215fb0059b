import { Schema } from "effect"

/** The types of events, in the order of the documents. `webhook.test` is sent on request, and is in no list. */
export const EVENT_TYPES = [
  "post.published",
  "post.updated",
  "post.unpublished",
  "post.schedule_failed",
  "comment.created",
  "comment.deleted",
  "follow.created",
  "purchase.settled",
  "purchase.refunded",
  "tip.settled",
  "gift.redeemed",
  "upload.decided",
  "subscriber.confirmed",
  "subscriber.ended",
  "webhook.test"
] as const

/** The type of an event. */
export const EventType = Schema.Literals(EVENT_TYPES).annotate({ identifier: "EventType" })
export type EventType = typeof EventType.Type
