import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Readiness } from "../../src/platform/ports/Readiness.ts"

/** Time within which a ready database answers. */
const PATIENCE = "1 second"

/**
 * Fails on a read-only connection as a write does, so that the pool drops the connection. A process that is not ready gets no
 * writes that would.
 */
const write = `do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise read_only_sql_transaction using message = 'The database is read-only';
  end if;
end $$`

const checked = <E>(question: Effect.Effect<unknown, E>) =>
  question.pipe(
    Effect.timeout(PATIENCE),
    Effect.as([]),
    Effect.orElseSucceed(() => ["database"])
  )

/** Ready while the database answers, and for writes while it takes them. */
export const layer = Layer.effect(
  Readiness,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Readiness.of({
      check: checked(sql.unsafe(write)),
      checkReads: checked(sql`select 1`),
      // The program that serves knows when it has to stop.
      isStopping: Effect.succeed(false)
    })
  )
)
