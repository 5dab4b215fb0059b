import { Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import type {
  ReactionRequest,
  ReactorQuery,
  Reactors
} from "../../../schemas/engagement/reactions/Reactors.ts"
import { CurrentOwner, Viewer } from "../../../schemas/platform/security/authorities.ts"
import { type Form, makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { ofTarget } from "./publicReads.ts"
import { Reactions } from "./Reactions.ts"
import type { ReactionTarget } from "./ReactionTarget.ts"

/** The wire form of an answer, without the Post by which it is kept. */
const form: Form<{ readonly reactors: Reactors }> = {
  contentType: "application/json",
  textOf: ({ reactors }) => JSON.stringify(reactors)
}

const publicReactions = HttpApiBuilder.group(
  Api,
  "publicReactions",
  Effect.fnUntraced(function* (handlers) {
    const reactions = yield* Reactions
    const answer = yield* makePublicAnswer

    const answered = (
      request: HttpServerRequest.HttpServerRequest,
      target: ReactionTarget,
      query: ReactorQuery
    ) =>
      answer(
        request,
        ofTarget(target, query),
        Effect.flatMap(Viewer, ({ ownerId }) => reactions.read(target, ownerId, query)),
        form
      )

    return handlers.handleAll({
      ofPost: ({ params: { postId: id }, query, request }) => answered(request, { kind: "post", id }, query),
      ofComment: ({ params: { commentId: id }, query, request }) =>
        answered(request, { kind: "comment", id }, query),
      ofPostComment: ({ params: { commentId: id, postId }, query, request }) =>
        answered(request, { kind: "comment", id, postId }, query)
    })
  })
)

const ownReactions = HttpApiBuilder.group(
  Api,
  "reactions",
  Effect.fnUntraced(function* (handlers) {
    const reactions = yield* Reactions

    const read = Effect.fnUntraced(function* (target: ReactionTarget, query: ReactorQuery) {
      const { ownerId } = yield* CurrentOwner
      return (yield* reactions.read(target, ownerId, query)).reactors
    })
    const set = Effect.fnUntraced(function* (target: ReactionTarget, { reaction }: ReactionRequest) {
      return yield* reactions.set(yield* CurrentOwner, target, reaction)
    })

    return handlers.handleAll({
      ofPost: ({ params: { postId: id }, query }) => read({ kind: "post", id }, query),
      toPost: ({ params: { postId: id }, payload }) => set({ kind: "post", id }, payload),
      ofComment: ({ params: { commentId: id }, query }) => read({ kind: "comment", id }, query),
      toComment: ({ params: { commentId: id }, payload }) => set({ kind: "comment", id }, payload)
    })
  })
)

/** The reactions of spec 4.5 and 4.6. */
export const ReactionsHttp = Layer.mergeAll(publicReactions, ownReactions)
