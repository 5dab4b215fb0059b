import type { SqlClient } from "effect/sql"

/**
 * The `updated_at` of a changed row of `posts p`: later than before even if the clock has not moved, because it is the
 * revision of the Post (spec 4.3.9).
 */
export const nextRevision = (sql: SqlClient.SqlClient, at: Date) =>
  sql`greatest(${at}::timestamptz, p.updated_at + interval '1 microsecond')`
