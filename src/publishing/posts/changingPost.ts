import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

/**
 * Makes the function that surrounds each write of Posts that are, were or become public: readers get nothing from
 * before it.
 */
export const makeChangingPosts = Effect.map(
  PublicAnswers,
  ({ changing }) =>
    (ids: ReadonlyArray<PostId>) =>
      changing([...ids.map(tags.post), tags.lists, tags.categories])
)

/** As {@link makeChangingPosts}, for one Post. */
export const makeChangingPost = Effect.map(makeChangingPosts, (changing) => (id: PostId) => changing([id]))
