import { Effect } from "effect"
import {
  type CommentsArguments,
  DiscussionToolkit,
  type ReactionsArguments,
  type ReplyArguments
} from "../../../../schemas/mcp/local/discussionTools.ts"
import { CommentId, PostId } from "../../../../schemas/platform/Ids.ts"
import { Cleaner } from "../../tools/untrusted.ts"
import { commentCardOf } from "../engagement/commentCard.ts"
import { makeReplyToComment } from "../engagement/ReplyToComment.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import { Intents } from "../intents/Intents.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"

/** Makes the reads of discussions. They are public reads, except for that of a Comment by its id. */
const makeReads = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi

  const comment = Effect.fnUntraced(function* (id: string) {
    const commentId = CommentId.make(id.toLowerCase())
    const found = yield* sessions.asOwner(client.comments.read({ params: { commentId } })).pipe(
      Effect.catchIf(
        ({ code }) => code === "not-found",
        () => Effect.undefined
      )
    )
    const cleaner = new Cleaner()
    const card = found === undefined ? null : commentCardOf(found, cleaner)
    return { available: card !== null, comment: card, hiddenCharactersRemoved: cleaner.removed }
  })

  const comments = Effect.fnUntraced(function* (wanted: CommentsArguments) {
    const { cursor = "", limit = 20, post_id: id, thread_root_id: root } = wanted
    const page = yield* toFailure(
      client.publicComments.list({
        params: { postId: PostId.make(id.toLowerCase()) },
        query: {
          cursor,
          limit,
          ...(root === undefined ? {} : { threadRootId: CommentId.make(root.toLowerCase()) })
        }
      })
    )
    if (!("pagination" in page)) return yield* marked("response-invalid")
    const cleaner = new Cleaner()
    const cards = page.comments.map((found) => commentCardOf(found, cleaner))
    return { comments: cards, pagination: page.pagination, hiddenCharactersRemoved: cleaner.removed }
  })

  const reactions = Effect.fnUntraced(function* (wanted: ReactionsArguments) {
    const { limit = 40, offset = 0, reaction, target_id: target, target_type: type } = wanted
    const query = reaction === undefined ? {} : { reaction, limit, offset }
    const id = target.toLowerCase()
    const { publicReactions } = client
    const found = yield* type === "post"
      ? toFailure(publicReactions.ofPost({ params: { postId: PostId.make(id) }, query }))
      : toFailure(publicReactions.ofComment({ params: { commentId: CommentId.make(id) }, query }))
    const cleaner = new Cleaner()
    const reactors = found.reactors.map(({ profile }) => ({
      id: profile.id,
      handle: profile.handle,
      kind: profile.authorKind,
      untrusted: { name: cleaner.text(profile.name) }
    }))
    return {
      summary: { counts: found.summary.counts, total: found.summary.total },
      reaction: found.reaction,
      reactors,
      pagination: found.pagination,
      hiddenCharactersRemoved: cleaner.removed
    }
  })

  return { comment, comments, reactions }
})

/** The handlers of the toolset `discussion`. */
export const makeDiscussionHandlers = Effect.gen(function* () {
  const intents = yield* Intents
  const reads = yield* makeReads
  const reply = yield* makeReplyToComment

  return DiscussionToolkit.of({
    svc_comment: ({ comment_id: id }) => reads.comment(id),
    svc_comments: reads.comments,
    svc_reactions: reads.reactions,
    svc_reply_to_comment: ({ intent_id: id, ...args }: ReplyArguments) => intents.run(reply, args, id)
  })
})
