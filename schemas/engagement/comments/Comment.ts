import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { CommentId, PostId } from "../../platform/Ids.ts"
import { RawDigits } from "../../platform/Nano.ts"
import { visibleProse } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { Author } from "../../publishing/discovery/Discovery.ts"
import { ReactionSummary } from "../reactions/Reaction.ts"

/** The deepest reply; a root has depth 0. */
export const COMMENT_DEPTH_MAX = 4
/** Maximum number of Comments in an answer without paging: the newest. */
export const COMMENTS_MAX = 1_000
/** Maximum number of bytes of their contents. The answer has fewer Comments if they would be more. */
export const COMMENTS_BYTES_MAX = 4 * 1024 * 1024

/** The role of the owner who deleted a Comment: its author or, as moderator, the author of its Post. */
export const DeletedByRole = Schema.Literals(["author", "moderator"])
export type DeletedByRole = typeof DeletedByRole.Type

const comment = {
  id: CommentId,
  postId: PostId,
  /** Plain text; null once the Comment is deleted. */
  content: Schema.NullOr(Schema.String),
  parentCommentId: Schema.NullOr(CommentId),
  replyTargetCommentId: Schema.NullOr(CommentId),
  /** The Comment of depth 0 above this one; a root names itself. */
  threadRootId: CommentId,
  depth: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: COMMENT_DEPTH_MAX })),
  createdAt: Timestamp,
  deletedAt: Schema.NullOr(Timestamp),
  deletedByRole: Schema.NullOr(DeletedByRole),
  author: Author,
  /** True when the author has bought the Post. */
  hasPurchased: Schema.Boolean,
  reactions: ReactionSummary,
  /** Direct replies that are visible and not deleted. */
  replyCount: Schema.Int,
  /** The sum of tips to this Comment, in raw. */
  tipAmountRaw: RawDigits
}

/** A Comment on a Post (spec 2.9). A deleted one stays as a tombstone without content. */
export const Comment = Schema.Struct(comment).annotate({ identifier: "Comment" })
export type Comment = typeof Comment.Type

/** A Comment that this request saved. */
export const NewComment = Schema.Struct({ ...comment, replayed: Schema.Literal(false) })
  .annotate({ identifier: "NewComment" })
  .pipe(HttpApiSchema.status(201))

/** A Comment that an earlier request with the same key saved. */
export const ReplayedComment = Schema.Struct({ ...comment, replayed: Schema.Literal(true) }).annotate({
  identifier: "ReplayedComment"
})
export type SavedComment = typeof NewComment.Type | typeof ReplayedComment.Type

/** `replyTargetCommentId` is the Comment that the reply answers: the parent, unless it names another one. */
export const CommentDraft = Schema.Struct({
  content: visibleProse(2000),
  parentCommentId: Schema.optionalKey(Schema.NullOr(CommentId)),
  replyTargetCommentId: Schema.optionalKey(Schema.NullOr(CommentId))
}).annotate({ identifier: "CommentDraft" })
export type CommentDraft = typeof CommentDraft.Type

export const DeletedComment = Schema.Struct({
  success: Schema.Literal(true),
  id: CommentId,
  post_id: PostId,
  deleted_at: Timestamp,
  deleted_by_role: DeletedByRole
}).annotate({ identifier: "DeletedComment" })
export type DeletedComment = typeof DeletedComment.Type
