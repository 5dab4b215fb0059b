import type { SqlClient, Statement } from "effect/sql"
import { DAY_MILLIS, later, MINUTE_MILLIS } from "../../../platform/time/now.ts"

/** Days of summaries end at 07:00 UTC. */
const END_MILLIS = 7 * 60 * MINUTE_MILLIS

/** Time between the end of a day and its summary. What happened before has committed then: no request takes that long. */
const WAIT_MILLIS = 5 * MINUTE_MILLIS

/** Returns the end of the day of summaries that has this moment. */
const endOf = (at: Date) => later(at, DAY_MILLIS - ((at.getTime() + DAY_MILLIS - END_MILLIS) % DAY_MILLIS))

/**
 * Inserts the work of a daily summary for owners to whom something happened. `owners` selects their ids in one column.
 * Two transactions may both insert it, because a unique key would make strangers wait for each other.
 */
export const summaryDue = (sql: SqlClient.SqlClient, at: Date, owners: Statement.Fragment) => {
  const end = endOf(at)
  return sql`
    insert into notification_summaries (owner_id, ends_at, due_at)
    select happened.owner_id, ${end}::timestamptz, ${later(end, WAIT_MILLIS)}::timestamptz
    from (${owners}) happened (owner_id)
    where not exists (
      select from notification_summaries s where s.owner_id = happened.owner_id and s.ends_at = ${end}::timestamptz)`
}
