import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

/** The files of a Post. Screening changes them without notice. */
export const files = (post: PostId): PublicRead<unknown> => ({
  key: `files ${post}`,
  tags: () => [tags.never]
})
