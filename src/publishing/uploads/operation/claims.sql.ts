import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import type { Claim as PlainClaim } from "../../../platform/work/lease.ts"
import { Operation } from "./operation.ts"
import { isHeavy, operationColumns } from "./operationRow.sql.ts"

/** A claim of due operations. */
export interface Claim extends PlainClaim {
  /** Maximum number of operations of one owner that this process works on at the same time. */
  readonly perOwner: number
  /** Operations that this process works on now, by owner. */
  readonly running: ReadonlyMap<OwnerId, number>
  /** Milliseconds that each owner cost this process lately. */
  readonly served: ReadonlyMap<OwnerId, number>
  /** Maximum number of heavy images that this process may begin to screen. */
  readonly heavyMax: number
}

const countsJson = (counts: ReadonlyMap<OwnerId, number>) => JSON.stringify(Object.fromEntries(counts))

/**
 * Number of due operations that a claim chooses from. Owners have at most ten unfinished ones, so that many owners are
 * seen.
 */
const CANDIDATES_MAX = 500

/**
 * Makes the function that claims due operations. It writes what the event `claimed` changes.
 *
 * Owners take turns: the first operation of each goes before the second of any, and those in work count. Of owners in the
 * same turn, the one that cost least lately goes first, so that any number of floods delay another image by one operation
 * each. One owner fills a part of the places, so that the image of another waits for none of theirs. Heavy images of all
 * owners together leave places, and a decoder, to the others. Operations that another process claims at this moment are
 * skipped. Files of what is held are evidence, and stay.
 */
export const claimUploads = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "uploadOperations")

  return ({ at, heavyMax, leaseUntil, limit, perOwner, running, served }: Claim) => many("claim", Operation)`
    with candidates as materialized (
      select u.id, u.owner_id, u.due_at, u.next_task = 'screen' and ${sql.literal(isHeavy)} as is_heavy
      from upload_operations u
      where next_task is not null and due_at <= ${at} and not (held and next_task = 'clean_up')
      order by due_at limit ${sql.literal(String(CANDIDATES_MAX))}
    ), running as materialized (
      select key::uuid as owner_id, value::integer as operations
      from json_each_text(${countsJson(running)}::json)
    ), served as materialized (
      select key::uuid as owner_id, value::integer as millis
      from json_each_text(${countsJson(served)}::json)
    ), turns as materialized (
      select c.id, c.due_at, c.is_heavy, coalesce(r.operations, 0) + row_number() over (
        partition by c.owner_id order by c.due_at, c.id) as turn, coalesce(s.millis, 0) as served
      from candidates c left join running r on r.owner_id = c.owner_id left join served s on s.owner_id = c.owner_id
    ), places as materialized (
      select *, row_number() over (partition by is_heavy order by turn, served, due_at, id) as place from turns
    ), due as materialized (
      select u.id from places t join upload_operations u on u.id = t.id
      where t.turn <= ${perOwner}::integer and (not t.is_heavy or t.place <= ${heavyMax}::integer) and u.next_task is not null and u.due_at <= ${at} and not (u.held and u.next_task = 'clean_up')
      order by t.turn, t.served, t.due_at limit ${limit} for update of u skip locked
    )
    update upload_operations u set due_at = ${leaseUntil}, attempts = u.attempts + 1,
      failures = u.failures + (u.next_task = 'screen' and u.state = 'checking')::int4,
      state = case when u.next_task = 'screen' then 'checking' else u.state end
    from due where u.id = due.id
    returning ${sql.literal(operationColumns)}`
})
