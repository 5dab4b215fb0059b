import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { fileState } from "../../publishing/posts/fileForSale.sql.ts"

const FileRow = Schema.Struct({
  post_id: PostId,
  id: UploadOperationId,
  file_name: Schema.String,
  byte_size: Schema.Int
})
export type FileRow = typeof FileRow.Type

/** The statement that reads what a reader can download. */
export const libraryStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "library")

  return {
    /** Returns the files on these Posts that are ready, in the order in which they were attached. */
    files: (posts: ReadonlyArray<PostId>) => many("files", FileRow)`
      select f.post_id, f.id, f.file_name, f.byte_size::float8 as byte_size from post_attachments f
      where f.post_id = any(${posts}::uuid[]) and f.removed_at is null and ${fileState(sql)} = 'ready'
      order by f.created_at, f.id`
  }
})
