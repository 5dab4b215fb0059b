import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Returns how many transactions PostgreSQL ended in the database of the test to resolve deadlocks. */
export const deadlocks = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly deadlocks: number }>`
      select deadlocks::int from pg_stat_database where datname = current_database()`,
    ([row]) => row?.deadlocks
  )
)
