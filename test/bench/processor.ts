import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The processes of PostgreSQL that serve this program. */
export const backends = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and application_name like 'pennypress%'`,
    (rows) => rows.map(({ pid }) => pid)
  )
)

/** Returns the processor time of processes so far, in milliseconds. */
export const processorOf = (pids: ReadonlyArray<number>) =>
  pids.reduce(
    (sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ", 1)[0]),
    0
  ) / 1e6
