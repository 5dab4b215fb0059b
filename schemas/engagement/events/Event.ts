import { Schema } from "effect"
import { ReceivedTip, Sale } from "../../payments/finance/Sale.ts"
import { Gift } from "../../payments/gifts/Gift.ts"
import { FieldError } from "../../platform/errors/FieldError.ts"
import { EVENT_TYPES, type EventType } from "../../platform/EventType.ts"
import { CommentId, isUuid, PostId, UploadOperationId } from "../../platform/Ids.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { PostSummary } from "../../publishing/discovery/Discovery.ts"
import { TargetKind } from "../../publishing/uploads/Upload.ts"
import { Comment } from "../comments/Comment.ts"
import { FollowListRow } from "../follows/Follow.ts"
import { SubscriberSource } from "../subscribers/Subscriber.ts"

const Uuid = Schema.String.check(isUuid())

/** A thing as readers see it when the event is made, or its id alone when they no longer see it. */
const orGone = <S extends Schema.Top>(thing: S) => Schema.Union([thing, Schema.Struct({ id: Uuid })])

const subscriber = Schema.Struct({
  id: Uuid,
  source: SubscriberSource,
  endedBy: Schema.NullOr(Schema.Literals(["reader", "author", "bounce", "complaint"]))
})

const operation = Schema.Struct({
  operationId: UploadOperationId,
  targetKind: TargetKind,
  /** Null for an image of the Profile. */
  postId: Schema.NullOr(PostId),
  state: Schema.Literals(["cleared", "rejected", "failed"]),
  /** The address of the public copy of a cleared image. */
  publicUrl: Schema.NullOr(Schema.String),
  /** The name of a ZIP. */
  fileName: Schema.NullOr(Schema.String)
})

/** The `data` of each type, and when the event happens. No member holds the text of a Post, a secret or an address of a reader. */
const data = {
  "post.published": {
    happens: "A Post of yours became public.",
    fields: { post: orGone(PostSummary), isFirst: Schema.Boolean, isScheduled: Schema.Boolean }
  },
  "post.updated": {
    happens:
      "A public Post of yours changed. Changes within 30 seconds are one event, and `changed` names the members.",
    fields: { post: orGone(PostSummary), changed: Schema.Array(Schema.String) }
  },
  "post.unpublished": {
    happens:
      "A Post of yours is no longer public, by you, by a moderator, or because your account is restricted or closes.",
    fields: {
      post: Schema.Struct({
        id: PostId,
        slug: Schema.String,
        title: Schema.String,
        formerUrl: Schema.String
      }),
      by: Schema.Literals(["author", "moderator", "restriction"])
    }
  },
  "post.schedule_failed": {
    happens: "A scheduled Post of yours could not be published.",
    fields: {
      post: Schema.Struct({ id: PostId, title: Schema.String }),
      publishAt: Timestamp,
      reason: Schema.String,
      errors: Schema.Array(FieldError)
    }
  },
  "comment.created": {
    happens: "Someone commented on a Post of yours.",
    fields: {
      comment: orGone(Comment),
      post: Schema.Struct({ id: PostId, url: Schema.NullOr(Schema.String) })
    }
  },
  "comment.deleted": {
    happens:
      "Readers no longer see a Comment on a Post of yours. If a moderator restores it, no event follows: its list has it again.",
    fields: {
      comment: Schema.Struct({ id: CommentId, postId: PostId, threadRootId: CommentId }),
      /** The author of the Comment, that of the Post, a moderator, or a restriction of the first. */
      by: Schema.Literals(["author", "post_author", "moderator", "restriction"])
    }
  },
  "follow.created": {
    happens: "Someone followed you, who had not followed you for a day.",
    fields: { follower: orGone(FollowListRow) }
  },
  "purchase.settled": {
    happens: "A Post of yours was paid. Second payments and late ones are events too.",
    fields: { sale: Sale }
  },
  "purchase.refunded": {
    happens: "You recorded a refund of a sale. `refundedRaw` is the sum of its refunds.",
    fields: { sale: Sale }
  },
  "tip.settled": { happens: "You received a tip.", fields: { tip: ReceivedTip } },
  "gift.redeemed": {
    happens: "A reader redeemed a gift of yours. Repeats of the same reader are no events.",
    fields: { gift: orGone(Gift) }
  },
  "upload.decided": {
    happens: "The screening of an image or a ZIP of yours came to a verdict.",
    fields: { operation }
  },
  "subscriber.confirmed": {
    happens: "A reader confirmed that they want your Posts by mail.",
    fields: { subscriber }
  },
  "subscriber.ended": {
    happens: "A reader no longer gets your Posts by mail.",
    fields: { subscriber }
  }
} as const satisfies Readonly<
  Record<
    Exclude<EventType, "webhook.test">,
    { readonly happens: string; readonly fields: Schema.Struct.Fields }
  >
>

type ListedType = keyof typeof data

/** `post.published` → `PostPublishedEvent`. */
const identifierOf = (type: EventType) =>
  `${type.replaceAll(/(?:^|[._])(.)/gu, (_, first: string) => first.toUpperCase())}Event`

const envelope = {
  /** Receivers that get an id again have the event already. */
  id: Uuid,
  /** The time of its cause. */
  timestamp: Timestamp
}

const eventOf = <const Type extends EventType, Fields extends Schema.Struct.Fields>(
  type: Type,
  description: string,
  fields: Fields
) =>
  Schema.Struct({
    ...envelope,
    type: Schema.Literal(type),
    /** Counts the events of an owner without gaps. */
    sequence: Schema.Int,
    data: Schema.Struct(fields)
  }).annotate({ identifier: identifierOf(type), description })

const listed = <const Type extends ListedType>(type: Type) =>
  eventOf(type, data[type].happens, data[type].fields as (typeof data)[Type]["fields"])

/** The schema of each type of event that lists have. */
export const eventSchemas = {
  "post.published": listed("post.published"),
  "post.updated": listed("post.updated"),
  "post.unpublished": listed("post.unpublished"),
  "post.schedule_failed": listed("post.schedule_failed"),
  "comment.created": listed("comment.created"),
  "comment.deleted": listed("comment.deleted"),
  "follow.created": listed("follow.created"),
  "purchase.settled": listed("purchase.settled"),
  "purchase.refunded": listed("purchase.refunded"),
  "tip.settled": listed("tip.settled"),
  "gift.redeemed": listed("gift.redeemed"),
  "upload.decided": listed("upload.decided"),
  "subscriber.confirmed": listed("subscriber.confirmed"),
  "subscriber.ended": listed("subscriber.ended")
} as const

/** An event of a list. Ignore types and members that you do not know: later releases may add some. */
export const Event = Schema.Union(Object.values(eventSchemas)).annotate({ identifier: "Event" })
export type Event = typeof Event.Type

/** The event that a webhook gets on request. It has no number, and `example` is the data of the type that was asked for. */
export const TestEvent = Schema.Struct({
  ...envelope,
  type: Schema.Literal("webhook.test"),
  sequence: Schema.Null,
  data: Schema.Struct({ example: Schema.Record(Schema.String, Schema.Json) })
}).annotate({ identifier: "WebhookTestEvent", description: "You asked for a test of this webhook." })
export type TestEvent = typeof TestEvent.Type

/** The schema of each type of event that webhooks get. */
export const webhookEvents = { ...eventSchemas, "webhook.test": TestEvent } as const

/** Says when an event of this type happens. */
export const happens = (type: EventType): string =>
  type === "webhook.test" ? "You asked for a test of this webhook." : data[type].happens

/** The types of events in lists. */
export const ListedEventType = Schema.Literals(
  EVENT_TYPES.filter((type): type is ListedType => type !== "webhook.test")
)
export type ListedEventType = ListedType
