import type { SqlClient } from "effect/sql"
import { operationColumns, storedTask } from "./operation.sql.ts"

/** A claim of due operations. */
export interface Claim {
  readonly at: Date
  readonly leaseUntil: Date
  /** Maximum number of operations to claim. */
  readonly limit: number
  /** Maximum number of images of one owner that are screened at the same time. */
  readonly perOwner: number
}

/** Due operations that a claim chooses from. Owners have at most ten unfinished ones, so that many owners are seen. */
const CANDIDATES_MAX = 500

/**
 * Returns the statement that claims due operations. It writes what the event `claimed` changes.
 *
 * Owners take turns: the first image of each goes before the second of any, and images that are being screened count.
 * One owner never fills every place, so that an image of another waits for none of theirs. Operations that another
 * process claims at this moment are skipped. Files of what is held are evidence, and stay.
 */
export const claimStatement = (sql: SqlClient.SqlClient, { at, leaseUntil, limit, perOwner }: Claim) => {
  const screening = storedTask("screen")
  const cleanup = storedTask("clean_up")
  return sql`
    with candidates as materialized (
      select id, owner_id, owed, due_at from upload_operations
      where owed is not null and due_at <= ${at} and not (held and owed = ${cleanup})
      order by due_at limit ${sql.literal(String(CANDIDATES_MAX))}
    ), busy as materialized (
      select owner_id, count(*) as images from upload_operations
      where state = 'checking' and due_at > ${at} group by owner_id
    ), turns as materialized (
      select c.id, c.owed, c.due_at, coalesce(b.images, 0) + row_number() over (
        partition by c.owner_id, c.owed = ${screening} order by c.due_at, c.id) as turn
      from candidates c left join busy b on b.owner_id = c.owner_id
    ), due as materialized (
      select u.id from turns t join upload_operations u on u.id = t.id
      where (t.owed <> ${screening} or t.turn <= ${perOwner}::integer)
        and u.owed is not null and u.due_at <= ${at} and not (u.held and u.owed = ${cleanup})
      order by t.turn, t.due_at limit ${limit} for update of u skip locked
    )
    update upload_operations u set due_at = ${leaseUntil}, attempts = u.attempts + 1,
      failures = u.failures + (u.owed = ${screening} and u.state = 'checking')::int4,
      state = case when u.owed = ${screening} then 'checking' else u.state end
    from due where u.id = due.id
    returning ${sql.literal(operationColumns)}`
}
