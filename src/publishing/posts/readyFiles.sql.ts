import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { fileState } from "./fileForSale.sql.ts"

const ReadyFile = Schema.Struct({
  post_id: PostId,
  id: UploadOperationId,
  file_name: Schema.String,
  byte_size: Schema.Int
})
export type ReadyFile = typeof ReadyFile.Type

/** The statement that reads the files of Posts for their buyers. */
export const readyFileStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "readyFiles")

  return {
    /** Returns the files on these Posts that are ready, in the order in which they were attached. */
    of: (posts: ReadonlyArray<PostId>) => many("of", ReadyFile)`
      select f.post_id, f.id, f.file_name, f.byte_size::float8 as byte_size from post_attachments f
      where f.post_id = any(${posts}::uuid[]) and f.removed_at is null and ${fileState(sql)} = 'ready'
      order by f.created_at, f.id`
  }
})
