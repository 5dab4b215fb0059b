import { Effect } from "effect"
import { COMMENT_DEPTH_MAX, CommentDraft } from "../../../../schemas/engagement/comments/Comment.ts"
import type { LocalComment, ReplyArguments } from "../../../../schemas/mcp/local/discussionTools.ts"
import { CommentId, PostId } from "../../../../schemas/platform/Ids.ts"
import { Cleaner } from "../../tools/untrusted.ts"
import { checked } from "../failures/checkedArguments.ts"
import { marked } from "../failures/marked.ts"
import { requireGrant } from "../grants/Grants.ts"
import { ServiceApi } from "../http/ServiceApi.ts"
import { type Asked, makeOperation } from "../intents/Operation.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { commentCardOf } from "./commentCard.ts"

type Args = Omit<ReplyArguments, "intent_id">

/** The place of a reply in its discussion, from a fresh read of the Comment that it answers. */
interface Place {
  readonly postId: string
  readonly parentCommentId: string
  readonly replyTargetCommentId: string
}

type Result = {
  readonly comment: LocalComment
  readonly hiddenCharactersRemoved: number
}

/** Makes the operation that answers a Comment, with a person's grant for discussions. */
export const makeReplyToComment = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { client, origin } = yield* ServiceApi
  const granted = { kind: "discussion", origin } as const

  return makeOperation<Args, Result, Place, Place>({
    tool: "svc_reply_to_comment",

    look: Effect.fnUntraced(function* ({ comment_id: id, content }: Args) {
      yield* checked(CommentDraft)({ content })
      const commentId = CommentId.make(id.toLowerCase())
      const comment = yield* sessions.asOwner(client.comments.read({ params: { commentId } }))
      if (comment.deletedAt !== null) return yield* marked("not-found")
      // The deepest replies stand beside the one that they answer.
      const isDeepest = comment.depth >= COMMENT_DEPTH_MAX
      return {
        postId: comment.postId,
        parentCommentId: isDeepest ? (comment.parentCommentId ?? comment.id) : comment.id,
        replyTargetCommentId: comment.id
      }
    }),

    authorize: (tx, { look }) => Effect.as(requireGrant(tx, granted), look),
    dispatch: (tx) => Effect.asVoid(requireGrant(tx, granted)),

    send: Effect.fnUntraced(function* ({ args, intent, request }: Asked<Args, Place>) {
      const saved = yield* sessions.asOwner(
        client.comments.append({
          params: { postId: PostId.make(request.postId) },
          headers: { "idempotency-key": intent.idempotencyKey },
          payload: {
            content: args.content,
            parentCommentId: CommentId.make(request.parentCommentId),
            replyTargetCommentId: CommentId.make(request.replyTargetCommentId)
          }
        })
      )
      const cleaner = new Cleaner()
      const comment = commentCardOf(saved, cleaner)
      return { comment, hiddenCharactersRemoved: cleaner.removed }
    })
  })
})
