import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LoadRequest, Operation } from "./load.ts"
import { answerOf, type Server } from "./servers.ts"

/** The text of a statement by its name. */
export type Statements = Readonly<Record<string, string>>

/** A key that is none makes the service ask for it, and then stop. */
const refused = (request: LoadRequest): LoadRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ppk_${"0".repeat(16)}_${"0".repeat(43)}` }
})

/** What PostgreSQL got last from the service for a request. */
const lastStatement = Effect.fnUntraced(function* (service: Server, request: LoadRequest) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.promise(() => answerOf(service, request))
  const [row] = yield* sql<{ readonly query: string; readonly isWhole: boolean }>`
    select query, octet_length(query) < pg_size_bytes(current_setting('track_activity_query_size')) - 1 as "isWhole"
    from pg_stat_activity where application_name = 'pennypress' and datname = current_database()
    order by query_start desc limit 1`
  if (row?.isWhole !== true) {
    return yield* Effect.die(
      new Error("The server needs track_activity_query_size = 16kB, to show whole statements")
    )
  }
  return row.query
})

/** The statements that the service sends for these operations, to be sent by the reference servers too. */
export const statementsOf = Effect.fnUntraced(function* (
  service: Server,
  operations: ReadonlyArray<Operation>
) {
  const texts: Record<string, string> = {}
  for (const { isRead, name, request } of operations) {
    if (!isRead) texts["activeKey"] = yield* lastStatement(service, refused(request()))
    texts[name] = yield* lastStatement(service, request())
  }
  return texts satisfies Statements
})
