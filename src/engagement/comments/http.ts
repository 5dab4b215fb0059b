import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner, Viewer } from "../../../schemas/platform/security/authorities.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { Comments } from "./Comments.ts"
import * as reads from "./publicReads.ts"

export const CommentsHttp = HttpApiBuilder.group(
  Api,
  "comments",
  Effect.fnUntraced(function* (handlers) {
    const comments = yield* Comments

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params, query }) {
        const { ownerId } = yield* CurrentOwner
        return yield* comments.page(ownerId, params.postId, query)
      }),
      received: Effect.fnUntraced(function* ({ query }) {
        return yield* comments.received(yield* CurrentOwner, query)
      }),
      append: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const owner = yield* CurrentOwner
        return yield* comments.append(owner, params.postId, payload, headers["idempotency-key"])
      }),
      read: Effect.fnUntraced(function* ({ params }) {
        return yield* comments.read(yield* CurrentOwner, params.commentId)
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        return yield* comments.remove(yield* CurrentOwner, params.commentId)
      })
    })
  })
)

export const PublicCommentsHttp = HttpApiBuilder.group(
  Api,
  "publicComments",
  Effect.fnUntraced(function* (handlers) {
    const comments = yield* Comments
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params: { postId }, query, request }) {
        const { ownerId } = yield* Viewer
        return yield* Object.keys(query).length === 0
          ? answer(request, reads.newest(postId), comments.newest(ownerId, postId))
          : answer(request, reads.page(postId, query), comments.page(ownerId, postId, query))
      })
    })
  })
)
