import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ProcessRow } from "./differences.ts"

/** Time after which the row of a process that ended without a word is deleted. */
const KEPT = "1 hour"

/** The row of this process, without the times, which the database adds. */
export type NewProcess = Omit<ProcessRow, "started_at" | "seen_at">

interface BeatRow {
  /** Live processes, this one too. */
  readonly live: number
  /** Processes whose rows were deleted. */
  readonly gone: ReadonlyArray<string>
}

/** Statements over `processes`. A process is live for `liveMillis` after it was seen, by the clock of the database. */
export const processStatements = (liveMillis: number) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const isLive = sql`seen_at > clock_timestamp() - ${`${liveMillis} milliseconds`}::interval`

    return {
      /** Lets no other process look or enter until the transaction ends. */
      lock: sql`lock table processes in share row exclusive mode`,

      /** Returns the live processes, except this one. */
      others: (id: string | null) => sql<ProcessRow>`
        select * from processes where id is distinct from ${id}::uuid and ${isLive} order by started_at, id`,

      enter: (row: NewProcess) => sql`
        insert into processes (id, host, release, started_at, seen_at, base_url, secrets, ledger, redis, has_marker)
        values (${row.id}, ${row.host}, ${row.release}, clock_timestamp(), clock_timestamp(), ${row.base_url},
          ${row.secrets}::text[], ${row.ledger}, ${row.redis}, ${row.has_marker})`,

      /** Renews the row, and deletes those that are long gone. None if the row is no longer there. */
      beat: (id: string) => sql<BeatRow>`
        with gone as (
          delete from processes where seen_at < clock_timestamp() - ${KEPT}::interval and id <> ${id} returning id)
        update processes set seen_at = clock_timestamp() where id = ${id}
        returning (select count(*) from processes where id <> ${id} and ${isLive})::int4 + 1 as live,
          array(select id::text from gone) as gone`,

      leave: (id: string) => sql`delete from processes where id = ${id}`
    }
  })
