import type { SqlClient, Statement } from "effect/sql"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"

/**
 * The state of a row of `post_attachments f` for its readers. A file that an administrator holds is treated like one that
 * is still being screened.
 */
export const fileState = (sql: SqlClient.SqlClient): Statement.Fragment => sql`case when exists (
  select from upload_operations u where u.id = f.id and u.held) then 'pending' else f.state end`

/** The condition that a row of `post_attachments f` is this file and on its Post, ready or not. */
export const isOnPost = (sql: SqlClient.SqlClient, file: UploadOperationId | null): Statement.Fragment =>
  sql`f.id = ${file}::uuid and f.removed_at is null and f.state <> 'receiving'`

/**
 * The condition that a row of `post_attachments f` is this file, and for sale. A statement that locks the Post also locks
 * this row `for share`. After a wait for a removal, it then sees the result.
 */
export const isForSale = (sql: SqlClient.SqlClient, file: UploadOperationId): Statement.Fragment =>
  sql`${isOnPost(sql, file)} and ${fileState(sql)} = 'ready'`
