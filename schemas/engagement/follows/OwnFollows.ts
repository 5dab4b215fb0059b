import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { AuthorKind } from "../../accounts/profile/Profile.ts"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { FollowingFeedId, OwnerId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { PostSummary } from "../../publishing/discovery/Discovery.ts"
import { Follow } from "./Follow.ts"

/** Default number of entries of a page. */
export const OWN_FOLLOWS_DEFAULT = 20
/** Entries of a page, at most. */
export const OWN_FOLLOWS_MAX = 50

/** A follow with its preferences and the creator. */
export const OwnFollow = Schema.Struct({
  ...Follow.fields,
  creator: Schema.Struct({
    id: OwnerId,
    name: Schema.String,
    handle: Schema.String,
    avatar_url: Schema.NullOr(Schema.String),
    author_kind: AuthorKind
  })
}).annotate({ identifier: "OwnFollow" })
export type OwnFollow = typeof OwnFollow.Type

/** The query of a list of the owner's follows or of their Posts. An empty cursor begins it. */
export const OwnFollowsQuery = Schema.Struct({
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: OWN_FOLLOWS_MAX, default: OWN_FOLLOWS_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor)
})
export type OwnFollowsQuery = typeof OwnFollowsQuery.Type

/** The owner's follows, newest first. Restricted creators are left out, so a page may have fewer rows. */
export const OwnFollowPage = Schema.Struct({
  data: Schema.Array(OwnFollow),
  pagination
}).annotate({ identifier: "OwnFollowPage" })
export type OwnFollowPage = typeof OwnFollowPage.Type

/** Published Posts of the creators whom the owner follows, newest first. */
export const FollowedPostPage = Schema.Struct({
  data: Schema.Array(PostSummary),
  pagination
}).annotate({ identifier: "FollowedPostPage" })
export type FollowedPostPage = typeof FollowedPostPage.Type

/** A private feed, without its address. */
const FollowingFeed = Schema.Struct({ id: FollowingFeedId, created_at: Timestamp })

/** `feed` is null while the owner has no private feed. */
export const FollowingFeedState = Schema.Struct({ feed: Schema.NullOr(FollowingFeed) }).annotate({
  identifier: "FollowingFeedState"
})
export type FollowingFeedState = typeof FollowingFeedState.Type

/** A new private feed with its address, which is shown here once. */
export const IssuedFollowingFeed = Schema.Struct({ feed: FollowingFeed, url: Schema.String })
  .annotate({ identifier: "IssuedFollowingFeed" })
  .pipe(HttpApiSchema.status(201))
export type IssuedFollowingFeed = typeof IssuedFollowingFeed.Type
