import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { FeedChanges } from "../../platform/feed-changes/FeedChanges.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

/**
 * Makes the function that surrounds each write of Posts that are, were or become public. After it, readers get no
 * earlier answers, and followers of feeds are notified.
 */
export const makeUpdatingReaders = Effect.gen(function* () {
  const { changing } = yield* PublicAnswers
  const { announcing } = yield* FeedChanges
  return (...ids: ReadonlyArray<PostId>) => {
    const shown = changing([...ids.map(tags.post), tags.lists, tags.categories])
    const announced = announcing(ids)
    return <A, E, R>(write: Effect.Effect<A, E, R>) => shown(announced(write))
  }
})
