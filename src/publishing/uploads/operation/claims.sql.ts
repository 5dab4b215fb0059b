import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { DECODED_PIXELS_MAX } from "../../../../schemas/publishing/uploads/limits.ts"
import { statements } from "../../../platform/sql/statements.ts"
import type { Claim as PlainClaim } from "../../../platform/work/lease.ts"
import { Operation } from "./operation.ts"
import { operationColumns } from "./operationRow.sql.ts"

/** A claim of due operations. */
export interface Claim extends PlainClaim {
  /** Maximum number of operations of one owner that this process works on at the same time. */
  readonly perOwner: number
  /** Operations that this process works on now, by owner. */
  readonly running: ReadonlyMap<OwnerId, number>
  /** Pixels that this process began to decode lately, by owner. */
  readonly served: ReadonlyMap<OwnerId, number>
  /** Maximum number of heavy operations that this process may begin. */
  readonly heavyMax: number
}

const countsJson = (counts: ReadonlyMap<OwnerId, number>) => JSON.stringify(Object.fromEntries(counts))

/** Number of due operations of each class that a claim chooses from. Owners have at most ten unfinished ones. */
const CANDIDATES_MAX = 500

/** Number of operations that a claim tries to lock. Other processes may be claiming the first ones at this moment. */
const FIRST_MAX = 200

/** A second of waiting counts as 100,000 pixels. */
const PIXEL = "interval '10 microseconds'"

/** SQL of the place of an operation in its turn, which an index has: when it would be due if its pixels came before it. */
const TURN = `(u.due_at at time zone 'UTC') + u.next_pixels * ${PIXEL}`

/** Upper bound of the turns of what is due, so that the index is not read beyond. */
const LATEST = `${DECODED_PIXELS_MAX} * ${PIXEL}`

/** SQL of the class of an operation, which an index has: 1 for clean-ups, which an owner has any number of, and 2 for copies. */
const CLASS = "(case u.next_task when 'clean_up' then 1 when 'scale' then 2 else 0 end)"

/**
 * Makes the function that claims due operations. It writes what the event `claimed` changes.
 *
 * Accounts share the process by pixels, which the header of an image tells. The operation goes first that has the fewest,
 * with those before it of its owner: in work, decoded lately or waiting. So a small image waits for no large ones of any
 * number of accounts. Waiting counts against pixels, so that a large image is decided too while small ones keep coming.
 *
 * One owner fills a part of the places, so that the image of another waits for none of theirs. Heavy operations of all
 * owners together leave places, and a decoder, to the others. Smaller copies are made when no verdict waits for the place.
 * A clean-up takes its turn as if it had the most pixels: after the verdicts that wait, and first once it has waited long.
 * Operations that another process claims at this moment are skipped. Files of what is held are evidence, and stay.
 */
export const claimUploads = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "uploadOperations")
  const pixel = sql.literal(PIXEL)
  const turn = sql.literal(TURN)
  const isDue = (at: Date) =>
    sql`u.next_task is not null and u.due_at <= ${at} and not (u.held and u.next_task = 'clean_up')`

  return ({ at, heavyMax, leaseUntil, limit, perOwner, running, served }: Claim) => many("claim", Operation)`
    with candidates as materialized (
      select kind.heavy, kind.class = 2 as copies, u.id, u.owner_id, u.next_pixels,
        case kind.class when 1 then u.turn + ${sql.literal(LATEST)} else u.turn end as turn
      from (values (false, 0), (true, 0), (false, 1), (false, 2), (true, 2)) kind (heavy, class), lateral (
          select u.id, u.owner_id, u.next_pixels, ${turn} as turn from upload_operations u
          where u.heavy = kind.heavy and ${sql.literal(CLASS)} = kind.class and ${isDue(at)}
            and ${turn} <= (${at}::timestamptz at time zone 'UTC') + ${sql.literal(LATEST)}
          order by ${turn} limit ${sql.literal(String(CANDIDATES_MAX))}
        ) u
    ), running as materialized (
      select key::uuid as owner_id, value::integer as operations
      from json_each_text(${countsJson(running)}::json)
    ), served as materialized (
      select key::uuid as owner_id, value::bigint as pixels
      from json_each_text(${countsJson(served)}::json)
    ), own as materialized (
      select c.id, c.heavy, c.copies, coalesce(r.operations, 0) + row_number() over earlier as place,
        c.turn + (coalesce(s.pixels, 0) + sum(c.next_pixels) over earlier - c.next_pixels) * ${pixel} as turn
      from candidates c left join running r on r.owner_id = c.owner_id left join served s on s.owner_id = c.owner_id
      window earlier as (partition by c.owner_id order by c.copies, c.heavy, c.turn, c.id rows unbounded preceding)
    ), places as materialized (
      select *, row_number() over (partition by heavy order by copies, turn, id) as among from own
      where place <= ${perOwner}::integer
    ), first as materialized (
      select id, copies, turn from places where not heavy or among <= ${heavyMax}::integer
      order by copies, turn, id limit ${sql.literal(String(FIRST_MAX))}
    ), due as materialized (
      select u.id from first f join upload_operations u on u.id = f.id
      where ${isDue(at)} order by f.copies, f.turn, f.id limit ${limit} for update of u skip locked
    )
    update upload_operations u set due_at = ${leaseUntil}, attempts = u.attempts + 1,
      failures = u.failures + (u.next_task = 'screen' and u.state = 'checking')::int4,
      state = case when u.next_task = 'screen' then 'checking' else u.state end
    from due where u.id = due.id
    returning ${sql.literal(operationColumns)}`
})
