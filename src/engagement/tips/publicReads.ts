import type { CommentSupporter, TipActivity } from "../../../schemas/engagement/tips/Tip.ts"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

type Tipped = ReadonlyArray<Pick<TipActivity | CommentSupporter, "supporter">>

/** The Post with its discussion and counters, and the Profiles that an answer shows. */
const tagsOf = (post: PostId, tips: Tipped) => [
  tags.post(post),
  tags.comments(post),
  tags.counts(post),
  ...new Set(tips.flatMap(({ supporter }) => (supporter === null ? [] : tags.profile(supporter.id))))
]

export const activities = (post: PostId): PublicRead<Tipped> => ({
  key: `tips ${post}`,
  tags: (tips) => tagsOf(post, tips)
})

export const supporters = (post: PostId, comment: CommentId): PublicRead<Tipped> => ({
  key: `tips ${post} ${comment}`,
  limit: "reaction-read",
  tags: (tips) => tagsOf(post, tips)
})
