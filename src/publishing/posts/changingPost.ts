import { Effect } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { FeedChanges } from "../../platform/feed-changes/FeedChanges.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import type { PostRow } from "./postRow.ts"

/**
 * Makes the function that surrounds each write of Posts that are, were or become public. After it, readers get no
 * earlier answers, and followers of feeds are notified.
 */
export const makeChangingPosts = Effect.gen(function* () {
  const { changing } = yield* PublicAnswers
  const { announcing } = yield* FeedChanges
  return (ids: ReadonlyArray<PostId>) => {
    const shown = changing([...ids.map(tags.post), tags.lists, tags.categories])
    const announced = announcing(ids)
    return <A, E, R>(write: Effect.Effect<A, E, R>) => shown(announced(write))
  }
})

/** As {@link makeChangingPosts}, for one Post. */
export const makeChangingPost = Effect.map(makeChangingPosts, (changing) => (id: PostId) => changing([id]))

/**
 * Makes the function that surrounds a write that publishes or unpublishes a Post. The owner's Profile counts public
 * Posts, and the first publication of an agent's work labels the account.
 */
export const makeChangingPublicPost = Effect.gen(function* () {
  const { changing } = yield* PublicAnswers
  const changingPost = yield* makeChangingPost
  return ({ creation_method, id }: PostRow, owner: OwnerId) => {
    const labels = creation_method === "autonomous_agent" ? [tags.labels] : []
    const shown = changing([tags.profile(owner), ...labels])
    const changed = changingPost(id)
    return <A, E, R>(write: Effect.Effect<A, E, R>) => shown(changed(write))
  }
})
