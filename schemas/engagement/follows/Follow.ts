import { Schema, Struct } from "effect"
import { AuthorKind } from "../../accounts/profile/Profile.ts"
import { FollowId, OwnerId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"

export const FOLLOWS_PER_PAGE_DEFAULT = 10
export const FOLLOWS_PER_PAGE_MAX = 50
/** The highest page number of a list, as for lists of Posts. */
export const FOLLOWS_PAGE_MAX = 1000

const preferences = {
  /** Notifies the follower of new Posts. On for a new follow. */
  notify_new_posts: Schema.Boolean,
  /** Also notifies them by e-mail. Off for a new follow, because one click is not a request for mail. */
  notify_channel_email: Schema.Boolean,
  /** Notifies them in the list of notifications. On for a new follow. */
  notify_channel_inapp: Schema.Boolean
}

/**
 * One owner follows another. A pair of owners has one follow. When it ends and begins again, it keeps its id and
 * preferences, and `created_at` is new.
 */
export const Follow = Schema.Struct({
  id: FollowId,
  creator_id: OwnerId,
  created_at: Timestamp,
  ...preferences
}).annotate({ identifier: "Follow" })
export type Follow = typeof Follow.Type

/** `follow` is null while the owner does not follow the creator. */
export const FollowState = Schema.Struct({
  following: Schema.Boolean,
  follow: Schema.NullOr(Follow)
}).annotate({ identifier: "FollowState" })
export type FollowState = typeof FollowState.Type

/** The desired state (spec 4.6.5). */
export const FollowRequest = Schema.Struct({ following: Schema.Boolean }).annotate({
  identifier: "FollowRequest"
})

/** Any nonempty part of the preferences; the others stay unchanged. */
export const FollowPreferences = Schema.Struct(preferences)
  .mapFields(Struct.map(Schema.optionalKey))
  .check(Schema.isMinProperties(1, { expected: "at least one of the three preferences" }))
  .annotate({ identifier: "FollowPreferences" })
export type FollowPreferences = typeof FollowPreferences.Type

/** An owner in a list of followers or of followed creators. */
export const FollowListRow = Schema.Struct({
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  avatar_url: Schema.NullOr(Schema.String),
  author_kind: AuthorKind,
  followed_at: Timestamp
}).annotate({ identifier: "FollowListRow" })
export type FollowListRow = typeof FollowListRow.Type

/**
 * A page of a list, newest follow first. Restricted accounts are left out, so a page may have fewer rows; `total`
 * counts them.
 */
export const FollowPage = Schema.Struct({
  data: Schema.Array(FollowListRow),
  total: Schema.Int,
  page: Schema.Int,
  per_page: Schema.Int
}).annotate({ identifier: "FollowPage" })
export type FollowPage = typeof FollowPage.Type

export const FollowPaging = Schema.Struct({
  page: Schema.optionalKey(queryInteger({ minimum: 1, maximum: FOLLOWS_PAGE_MAX, default: 1 })),
  per_page: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: FOLLOWS_PER_PAGE_MAX, default: FOLLOWS_PER_PAGE_DEFAULT })
  )
})
export type FollowPaging = typeof FollowPaging.Type

/** `viewerFollows` is null for a reader without a credential. */
export const FollowCounts = Schema.Struct({
  followers: Schema.Int,
  following: Schema.Int,
  viewerFollows: Schema.NullOr(Schema.Boolean)
}).annotate({ identifier: "FollowCounts" })
export type FollowCounts = typeof FollowCounts.Type
