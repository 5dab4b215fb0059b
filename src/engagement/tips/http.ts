import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import * as reads from "./publicReads.ts"
import { PublicTips } from "./PublicTips.ts"

/** The public reads of tips of spec 4.5. */
export const TipsHttp = HttpApiBuilder.group(
  Api,
  "tips",
  Effect.fnUntraced(function* (handlers) {
    const tips = yield* PublicTips
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      activities: ({ params: { postId }, request }) =>
        answer(request, reads.activities(postId), tips.activities(postId)),
      supporters: ({ params: { commentId, postId }, request }) =>
        answer(request, reads.supporters(postId, commentId), tips.supporters(postId, commentId))
    })
  })
)
