import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The begin of the attempt that runs, null between attempts. An attempt that left it there was cut off, and may have
 * sent its mail. A process of the release before leaves the column alone, which only costs a line in the log.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table mails add column attempt_began_at timestamptz`
})
