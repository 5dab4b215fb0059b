import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

const Sum = Schema.Struct({ bytes: Schema.Finite })

/**
 * The SQL of the bytes that an account stores: texts of Posts, files of images that are staged, public copies that are
 * there, and files of Posts. Smaller copies of images do not count: the service makes them, and no author asks for them. Lengths of long texts are known without reading them; a native document counts as PostgreSQL
 * keeps it.
 */
export const storedBytesOf = (sql: SqlClient.SqlClient, account: Statement.Fragment) => sql`(
  coalesce((
    select sum(
      coalesce(octet_length(free_content_markdown), 0) + coalesce(octet_length(paid_content_markdown), 0)
      + octet_length(concat(title, description, og_title, og_description, creation_details))
      + coalesce(pg_column_size(free_content_native), 0) + coalesce(pg_column_size(paid_content_native), 0))
    from posts where owner_id = ${account}), 0)::float8
  + coalesce((
    select sum(staged_bytes + case when shown or held or next_task is not null then coalesce(public_size, 0) else 0 end)
    from upload_operations where owner_id = ${account}), 0)::float8
  + coalesce((
    select sum(byte_size) from post_attachments where owner_id = ${account} and state = 'ready'), 0)::float8)`

/** Makes the function that returns the bytes that an account stores. */
export const storedBytes = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "AccountStorage")
  return (owner: OwnerId) => one("sum", Sum)`select ${storedBytesOf(sql, sql`${owner}::uuid`)} as bytes`
})
