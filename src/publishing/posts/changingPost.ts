import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

/**
 * Makes the function that surrounds each write of a Post that is, was or becomes public: readers get nothing from
 * before it.
 */
export const makeChangingPost = Effect.map(
  PublicAnswers,
  ({ changing }) =>
    (id: PostId) =>
      changing([tags.post(id), tags.lists, tags.categories])
)
