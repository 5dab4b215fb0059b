import type { SqlClient, Statement } from "effect/sql"

/**
 * The time at which a row of `settlements s` sold the files that a Post had then: when its payment session was opened, or
 * else when it was made. A session that had ended before `removedAt`, when the file was removed, has no part in the file.
 */
export const soldAt = (
  sql: SqlClient.SqlClient,
  removedAt: Statement.Fragment
): Statement.Fragment => sql`coalesce((
  select n.created_at from payment_sessions n
  where n.id = s.session_id and (not s.late or coalesce(n.cancelled_at, n.expires_at) > ${removedAt})), s.created_at)`
