import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, type OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** A text that its author sends, perhaps for the second time. */
interface SentText {
  readonly postId: PostId
  /** The Comment that it answers; null for none. */
  readonly to: CommentId | null
  readonly content: string
}

const SentRow = Schema.Struct({
  /** The same text on the same Post or Comment, unless it was deleted or hidden. */
  same_id: Schema.NullOr(CommentId),
  /** The last Comment of the author on any Post. */
  last_id: Schema.NullOr(CommentId)
})

/** Statements over the Comments that an author has sent. */
export const sentCommentStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "sentComments")

  return {
    /** Finds the same text, if its author sent it after a moment, and their last Comment. */
    find: (author: OwnerId, { content, postId, to }: SentText, after: Date) => one("find", SentRow)`
      select
        (select id from comments
          where author_id = ${author} and created_at > ${after} and post_id = ${postId}
            and reply_target_comment_id is not distinct from ${to}::uuid and content = ${content}
            and deleted_at is null and hidden_at is null
          order by created_at desc, id desc limit 1) as same_id,
        (select id from comments where author_id = ${author} order by created_at desc, id desc limit 1) as last_id`
  }
})
