import { Clock, Effect } from "effect"
import {
  type Comment,
  COMMENT_DEPTH_MAX,
  CommentDraft
} from "../../../../schemas/engagement/comments/Comment.ts"
import { COMMENT_PAGE_MAX, type CommentPage } from "../../../../schemas/engagement/comments/page.ts"
import type { LocalComment, ReplyArguments } from "../../../../schemas/mcp/local/discussionTools.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { CommentId, PostId } from "../../../../schemas/platform/Ids.ts"
import { Cleaner } from "../../tools/untrusted.ts"
import { checked } from "../failures/checkedArguments.ts"
import { marked } from "../failures/marked.ts"
import { requireGrant } from "../grants/Grants.ts"
import { type Asked, isOnItsWay, makeOperation } from "../intents/Operation.ts"
import { StateStore } from "../ports/StateStore.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { commentCardOf } from "./commentCard.ts"

type Args = Omit<ReplyArguments, "intent_id">

/** The place of a reply in its discussion, from a fresh read of the Comment that it answers. */
interface Place {
  readonly postId: string
  readonly parentCommentId: string
  readonly replyTargetCommentId: string
  readonly threadRootId: string
}

type Result = {
  readonly comment: LocalComment
  readonly hiddenCharactersRemoved: number
}

/** Maximum number of pages of a thread that a search for a lost reply reads. */
const PAGES_MAX = 10

const resultOf = (saved: Comment): Result => {
  const cleaner = new Cleaner()
  const comment = commentCardOf(saved, cleaner)
  return { comment, hiddenCharactersRemoved: cleaner.removed }
}

/** Makes the operation that answers a Comment, with a person's grant for discussions. */
export const makeReplyToComment = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const { client, origin } = yield* ServiceApi
  const granted = { kind: "discussion", origin } as const

  const send = Effect.fnUntraced(function* ({
    args,
    intent,
    request
  }: Asked<Args, Place>): Effect.fn.Return<Result, ToolFailure> {
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
    return resultOf(saved)
  })

  /** Finds out whether a reply was saved although its grant has since ended; nothing more is sent for it. */
  const lookUp = Effect.fnUntraced(function* (
    { args, intent, request }: Asked<Args, Place>,
    ended: ToolFailure
  ): Effect.fn.Return<Result, ToolFailure> {
    const postId = PostId.make(request.postId)
    const threadRootId = CommentId.make(request.threadRootId)
    const read = (cursor: string) =>
      sessions.asOwner(
        client.comments.list({
          params: { postId },
          query: { cursor, limit: COMMENT_PAGE_MAX, threadRootId }
        })
      )
    let next: string | null = ""
    for (let page = 0; page < PAGES_MAX && next !== null; page++) {
      const { comments, pagination }: CommentPage = yield* read(next)
      const saved = comments.find(
        ({ author, content, replyTargetCommentId }) =>
          author.id === intent.ownerId &&
          content === args.content &&
          replyTargetCommentId === request.replyTargetCommentId
      )
      if (saved !== undefined) return resultOf(saved)
      next = pagination.nextCursor
    }
    const now = yield* Clock.currentTimeMillis
    return yield* isOnItsWay(intent, now) ? marked("outcome-unknown") : ended
  })

  return makeOperation<Args, Result, Place, Place>({
    tool: "svc_reply_to_comment",

    look: Effect.fnUntraced(function* ({ comment_id: id, content }: Args) {
      yield* checked(CommentDraft)({ content })
      const commentId = CommentId.make(id.toLowerCase())
      const comment = yield* sessions.asOwner(client.comments.read({ params: { commentId } }))
      if (comment.deletedAt !== null) return yield* marked("not-found")
      // The deepest replies are placed next to the one that they answer.
      const isDeepest = comment.depth >= COMMENT_DEPTH_MAX
      return {
        postId: comment.postId,
        parentCommentId: isDeepest ? (comment.parentCommentId ?? comment.id) : comment.id,
        replyTargetCommentId: comment.id,
        threadRootId: comment.threadRootId
      }
    }),

    authorize: (tx, { look }) => Effect.as(requireGrant(tx, granted), look),
    dispatch: (tx) => Effect.asVoid(requireGrant(tx, granted)),

    send,

    resume: Effect.fnUntraced(function* (asked: Asked<Args, Place>) {
      const grant = yield* store.read((tx) => Effect.result(requireGrant(tx, granted)))
      return yield* grant._tag === "Success" ? send(asked) : lookUp(asked, grant.failure)
    })
  })
})
