import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type CommentId, type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

const CommentRow = Schema.Struct({ post_id: PostId, thread_root_id: Schema.String, handle: Schema.String })

const HandleRow = Schema.Struct({ handle: Schema.String })

/** The statements that find who gets a tip. */
export const tipStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "tip")

  return {
    /** Returns the handle of an author whom readers see. */
    handleOf: (id: OwnerId) =>
      Effect.flatMap(
        maybe("handleOf", HandleRow)`select handle from public_owners where id = ${id}`,
        Effect.fromOption
      ),

    /** Returns the author of a Comment, its Post and its thread; none for one that readers do not see. */
    comment: (id: CommentId) => maybe("comment", CommentRow)`
      select c.post_id, c.thread_root_id, o.handle
      from public_comments c join public_owners o on o.id = c.author_id
      where c.id = ${id} and c.deleted_at is null`
  }
})
