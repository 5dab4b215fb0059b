import { Schema } from "effect"
import { CommentId, NotificationId, OwnerId, PostId, PurchaseId } from "../../platform/Ids.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { NotificationType } from "./notificationTypes.ts"
import { FeedPreferences } from "./Preferences.ts"

/** The page of the feed without a `limit`, and the largest one. */
export const FEED_LIMIT = { minimum: 1, maximum: 50, default: 20 } as const
/** Maximum number of notifications in a feed: the newest ones. Its totals count only these. */
export const FEED_MAX = 10_000
/** Maximum number of notifications that one request marks by id. */
export const MARKED_IDS_MAX = 200

const Actor = Schema.Struct({
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  avatarUrl: Schema.NullOr(Schema.String)
}).annotate({ identifier: "NotificationActor" })

/** One notification. `data` has further facts of its type, in addition to the ids. */
export const Notification = Schema.Struct({
  id: NotificationId,
  type: NotificationType,
  created_at: Timestamp,
  read_at: Schema.NullOr(Timestamp),
  actor: Schema.NullOr(Actor),
  post_id: Schema.NullOr(PostId),
  comment_id: Schema.NullOr(CommentId),
  purchase_id: Schema.NullOr(PurchaseId),
  follower_id: Schema.NullOr(OwnerId),
  data: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "Notification" })
export type Notification = typeof Notification.Type

/** A page of the feed. `total` counts the requested feed, `unread` its unread notifications. */
export const NotificationFeed = Schema.Struct({
  notifications: Schema.Array(Notification),
  total: Schema.Int,
  unread: Schema.Int,
  preferences: FeedPreferences,
  pagination: Schema.Struct({ limit: Schema.Int, offset: Schema.Int, hasMore: Schema.Boolean }),
  includeAll: Schema.Boolean
}).annotate({ identifier: "NotificationFeed" })
export type NotificationFeed = typeof NotificationFeed.Type

/** The number of notifications that a request marked as read. Those that were read before do not count. */
export const Marked = Schema.Struct({ updated: Schema.Int }).annotate({ identifier: "MarkedNotifications" })
export type Marked = typeof Marked.Type

/** Ids of notifications; duplicates count once. */
export const MarkReadRequest = Schema.Struct({
  ids: Schema.Array(NotificationId).check(
    Schema.makeFilter((ids: ReadonlyArray<unknown>) => ids.length <= MARKED_IDS_MAX, {
      expected: `at most ${MARKED_IDS_MAX} ids`,
      fieldCode: "too_many",
      toJsonSchema: () => ({ maxItems: MARKED_IDS_MAX })
    })
  )
}).annotate({ identifier: "MarkReadRequest" })

const spellings = [
  ["postId", "post_id"],
  ["purchaseId", "purchase_id"],
  ["commentId", "comment_id"],
  ["followerId", "follower_id"]
] as const

const Context = Schema.Struct({
  postId: Schema.optionalKey(PostId),
  post_id: Schema.optionalKey(PostId),
  purchaseId: Schema.optionalKey(PurchaseId),
  purchase_id: Schema.optionalKey(PurchaseId),
  commentId: Schema.optionalKey(CommentId),
  comment_id: Schema.optionalKey(CommentId),
  followerId: Schema.optionalKey(OwnerId),
  follower_id: Schema.optionalKey(OwnerId),
  types: Schema.optionalKey(
    Schema.Array(NotificationType).check(
      Schema.makeFilter((types: ReadonlyArray<unknown>) => types.length <= 20, {
        expected: "at most 20 types",
        fieldCode: "too_many",
        toJsonSchema: () => ({ maxItems: 20 })
      })
    )
  )
}).check(
  Schema.makeFilter(
    (context: { readonly types?: ReadonlyArray<unknown> }) =>
      Object.keys(context).some((key) => key !== "types") || (context.types ?? []).length > 0,
    {
      message: "Send at least one of postId, purchaseId, commentId, followerId and types",
      fieldCode: "required",
      toJsonSchema: () => ({ minProperties: 1 })
    }
  ),
  Schema.makeFilter(
    (context: object) => spellings.every(([camel, snake]) => !(camel in context && snake in context)),
    { message: "Send each id under one name", fieldCode: "mismatch", toJsonSchema: () => ({}) }
  )
)
export type NotificationContext = typeof Context.Type

/** Filters of the owner's notifications, each in camelCase or snake_case. A notification must match every filter. */
export const MarkContextReadRequest = Schema.Struct({ context: Context }).annotate({
  identifier: "MarkContextReadRequest"
})

/** `muted` is true while an owner wants no notifications about the discussion of a Post. */
export const Mute = Schema.Struct({ muted: Schema.Boolean }).annotate({ identifier: "PostMute" })
export type Mute = typeof Mute.Type
