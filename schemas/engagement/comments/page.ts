import { Schema } from "effect"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { CommentId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Comment } from "./Comment.ts"

export const COMMENT_PAGE_DEFAULT = 50
export const COMMENT_PAGE_MAX = 100

/** A page of a discussion, or of one thread of it. An empty cursor begins the list. */
export const CommentsQuery = Schema.Struct({
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: COMMENT_PAGE_MAX, default: COMMENT_PAGE_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor),
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
