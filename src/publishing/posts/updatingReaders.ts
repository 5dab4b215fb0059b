import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { FeedChanges } from "../../platform/feed-changes/FeedChanges.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { postTags } from "../discovery/postTags.ts"
import { feedsOfPosts } from "./feedsOfPosts.sql.ts"

/** The tags of answers that show Posts, or lists that they are in. */
const shownIn = (ids: ReadonlyArray<PostId>) => [
  ...ids.map(postTags.post),
  postTags.lists,
  postTags.categories
]

/**
 * Makes the function that surrounds each write of Posts that are, were or become public. After it, readers get no
 * earlier answers, and followers of feeds are notified.
 */
export const makeUpdatingReaders = Effect.gen(function* () {
  const { changing } = yield* PublicAnswers
  const { announcing } = yield* FeedChanges
  const feeds = yield* feedsOfPosts
  const updating = (...ids: ReadonlyArray<PostId>) => {
    const shown = changing(shownIn(ids))
    const announced = announcing(feeds(ids))
    return <A, E, R>(write: Effect.Effect<A, E, R>) => shown(announced(write))
  }
  return Object.assign(updating, {
    /** As the function itself, for a change that is no news for followers of feeds. */
    quietly: (...ids: ReadonlyArray<PostId>) => changing(shownIn(ids))
  })
})
