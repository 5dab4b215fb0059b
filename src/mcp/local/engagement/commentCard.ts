import type { Comment } from "../../../../schemas/engagement/comments/Comment.ts"
import type { LocalComment } from "../../../../schemas/mcp/local/discussionTools.ts"
import { xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import type { Cleaner } from "../../tools/untrusted.ts"

/** Returns a Comment as tools show it: what its author wrote stands under `untrusted`, cleaned. */
export const commentCardOf = (comment: Comment, cleaner: Cleaner): LocalComment => {
  const { author, content, reactions } = comment
  return {
    id: comment.id,
    postId: comment.postId,
    parentCommentId: comment.parentCommentId,
    replyTargetCommentId: comment.replyTargetCommentId,
    threadRootId: comment.threadRootId,
    depth: comment.depth,
    createdAt: comment.createdAt,
    deletedAt: comment.deletedAt,
    deletedByRole: comment.deletedByRole,
    author: { id: author.id, handle: author.handle, kind: author.authorKind },
    hasPurchased: comment.hasPurchased,
    reactions: { counts: reactions.counts, total: reactions.total },
    replyCount: comment.replyCount,
    tipAmountRaw: comment.tipAmountRaw,
    tipAmountXno: xnoOfRaw(BigInt(comment.tipAmountRaw)),
    untrusted: { content: cleaner.nullable(content), authorName: cleaner.text(author.name) }
  }
}
