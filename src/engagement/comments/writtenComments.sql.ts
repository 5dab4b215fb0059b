import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeletedByRole } from "../../../schemas/engagement/comments/Comment.ts"
import { CommentId, type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

const WrittenRow = Schema.Struct({
  id: CommentId,
  post_id: PostId,
  parent_comment_id: Schema.NullOr(CommentId),
  content: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  deleted_at: Schema.NullOr(Timestamp),
  deleted_by_role: Schema.NullOr(DeletedByRole),
  is_hidden: Schema.Boolean
})
export type WrittenRow = typeof WrittenRow.Type

/** Makes the function that returns the Comments of an account, newest first, after one of them, and also those that no reader sees. */
export const writtenComments = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "writtenComments")

  return (author: OwnerId, after: Pick<WrittenRow, "created_at" | "id"> | undefined, limit: number) => many(
    "slice",
    WrittenRow
  )`
    select id, post_id, parent_comment_id, content, wire_time(created_at) as created_at,
      wire_time(deleted_at) as deleted_at, deleted_by_role, hidden_at is not null as is_hidden
    from comments
    where author_id = ${author}
      and ${after === undefined ? sql`true` : sql`(created_at, id) < (${after.created_at}::timestamptz, ${after.id}::uuid)`}
    order by comments.created_at desc, id desc limit ${sql.literal(String(limit))}`
})
