import { Schema } from "effect"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { CommentId, PostId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { PostStatus } from "../../publishing/posts/Post.ts"
import { Comment } from "./Comment.ts"

export const COMMENT_PAGE_DEFAULT = 50
export const COMMENT_PAGE_MAX = 100

const paged = {
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: COMMENT_PAGE_MAX, default: COMMENT_PAGE_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor)
}

/** A page of a discussion, or of one thread of it. An empty cursor begins the list. */
export const CommentsQuery = Schema.Struct({
  ...paged,
  threadRootId: Schema.optionalKey(CommentId)
})
export type CommentsQuery = typeof CommentsQuery.Type

/** Comments by their time and id, ascending. */
export const CommentPage = Schema.Struct({
  comments: Schema.Array(Comment),
  pagination
}).annotate({ identifier: "CommentPage" })
export type CommentPage = typeof CommentPage.Type

/** A page for a request that asks for one; otherwise an array of the newest Comments, ascending (spec 9.5). */
export const PublicComments = Schema.Union([CommentPage, Schema.Array(Comment)])

/** A page of the Comments on own Posts. An empty cursor begins the list. */
export const ReceivedCommentsQuery = Schema.Struct(paged)
export type ReceivedCommentsQuery = typeof ReceivedCommentsQuery.Type

/** A Comment of another account on a Post of the caller, with that Post. */
export const ReceivedComment = Schema.Struct({
  ...Comment.fields,
  post: Schema.Struct({
    id: PostId,
    title: Schema.String,
    status: PostStatus,
    /** The page of the Post; null for a draft. */
    url: Schema.NullOr(Schema.String),
    /** False for a closed discussion, which readers do not see. */
    commentsEnabled: Schema.Boolean,
    /** The revision of the Post, for `X-Post-Revision`. */
    updatedAt: Timestamp
  })
}).annotate({ identifier: "ReceivedComment" })
export type ReceivedComment = typeof ReceivedComment.Type

/** Comments on own Posts by their time and id, newest first. */
export const ReceivedCommentPage = Schema.Struct({
  comments: Schema.Array(ReceivedComment),
  pagination
}).annotate({ identifier: "ReceivedCommentPage" })
export type ReceivedCommentPage = typeof ReceivedCommentPage.Type
