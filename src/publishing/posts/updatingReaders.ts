import { Effect } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { FeedChanges } from "../../platform/feed-changes/FeedChanges.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

/** The tags of answers that show Posts, or lists that they are in. */
const shownIn = (ids: ReadonlyArray<PostId>) => [...ids.map(tags.post), tags.lists, tags.categories]

/**
 * Makes the function that surrounds each write of Posts that are, were or become public. After it, readers get no
 * earlier answers, and followers of feeds are notified.
 */
export const makeUpdatingReaders = Effect.gen(function* () {
  const { changing } = yield* PublicAnswers
  const { announcing } = yield* FeedChanges
  return (...ids: ReadonlyArray<PostId>) => {
    const shown = changing(shownIn(ids))
    const announced = announcing(ids)
    return <A, E, R>(write: Effect.Effect<A, E, R>) => shown(announced(write))
  }
})

/** A Post that no public answer shows. */
interface Draft {
  readonly id: PostId
  readonly published_at: null
  readonly creation_method: string | null
}

/**
 * Makes the function that surrounds the publication of a draft, as above. It only adds to lists and to the Profile, which
 * counts public Posts. Work of an agent also labels the account, which other Posts show.
 */
export const makeAddingForReaders = Effect.gen(function* () {
  const { adding, changing } = yield* PublicAnswers
  const { announcing } = yield* FeedChanges
  return ({ creation_method, id }: Draft, owner: OwnerId) => {
    const joined = [...shownIn([id]), tags.profile(owner)]
    const shown = creation_method === "autonomous_agent" ? changing([...joined, tags.labels]) : adding(joined)
    const announced = announcing([id])
    return <A, E, R>(write: Effect.Effect<A, E, R>) => shown(announced(write))
  }
})
