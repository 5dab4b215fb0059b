import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import type { CommentSupporter, TipActivity } from "../../../schemas/engagement/tips/Tip.ts"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import { PublicTips } from "./PublicTips.ts"

type Tipped = ReadonlyArray<Pick<TipActivity | CommentSupporter, "supporter">>

/** The Post with its discussion and counters, and the Profiles that an answer shows. */
const tagsOf = (post: PostId, tips: Tipped) => [
  tags.post(post),
  tags.comments(post),
  tags.counts(post),
  ...new Set(tips.flatMap(({ supporter }) => (supporter === null ? [] : tags.profile(supporter.id))))
]

const activitiesRead = (post: PostId): PublicRead<Tipped> => ({
  key: `tips ${post}`,
  tags: (tips) => tagsOf(post, tips)
})

const supportersRead = (post: PostId, comment: CommentId): PublicRead<Tipped> => ({
  key: `tips ${post} ${comment}`,
  limit: "reaction-read",
  tags: (tips) => tagsOf(post, tips)
})

/** The public reads of tips of spec 4.5. */
export const TipsHttp = HttpApiBuilder.group(
  Api,
  "tips",
  Effect.fnUntraced(function* (handlers) {
    const tips = yield* PublicTips
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      activities: ({ params: { postId }, request }) =>
        answer(request, activitiesRead(postId), tips.activities(postId)),
      supporters: ({ params: { commentId, postId }, request }) =>
        answer(request, supportersRead(postId, commentId), tips.supporters(postId, commentId))
    })
  })
)
