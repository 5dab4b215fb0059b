import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LoadRequest } from "./loadRequest.ts"
import type { Operation } from "./operation.ts"
import { answerOf, type Server } from "./servers.ts"

/** The text of a statement by its name. */
export type Statements = Readonly<Record<string, string>>

/** Requests that all have to send a statement. Workers of the service send others, at any time. */
const REQUESTS = 3

/** Requests until that many in a row have sent a statement: a worker may use the connection before it is looked at. */
const LOOKS = 60

/** Returns the last statement of each connection of the service that was sent for a request or meanwhile, newest first. */
const sentFor = Effect.fnUntraced(function* (service: Server, request: LoadRequest) {
  const sql = yield* SqlClient.SqlClient
  const [clock] = yield* sql<{ readonly now: string }>`select clock_timestamp()::text as now`
  yield* Effect.promise(() => answerOf(service, request))
  const rows = yield* sql<{ readonly query: string; readonly isWhole: boolean }>`
    select query, octet_length(query) < pg_size_bytes(current_setting('track_activity_query_size')) - 1 as "isWhole"
    from pg_stat_activity where application_name = 'pennypress' and datname = current_database()
      and query_start >= ${clock?.now ?? ""}::timestamptz
    order by query_start desc`
  if (rows.some(({ isWhole }) => !isWhole))
    return yield* Effect.die(
      new Error("The server needs track_activity_query_size = 16kB, to show whole statements")
    )
  return rows.map(({ query }) => query)
})

/** Returns the statement that is sent for each of these requests. */
const statementOf = Effect.fnUntraced(function* (service: Server, request: () => LoadRequest) {
  let common: ReadonlyArray<string> = []
  let seen = 0
  for (let look = 0; look < LOOKS; look++) {
    const sent = yield* sentFor(service, request())
    common = seen === 0 ? sent : sent.filter((statement) => common.includes(statement))
    seen = common.length === 0 ? 0 : seen + 1
    if (seen === REQUESTS) return common[0]!
  }
  return yield* Effect.die(new Error(`${request().path} sent no statement`))
})

/** Returns the statements that the service sends for these operations. The reference servers send them too. */
export const statementsOf = Effect.fnUntraced(function* (
  service: Server,
  operations: ReadonlyArray<Operation>
) {
  const texts: Record<string, string> = {}
  for (const { first, name, request } of operations) {
    if (first !== undefined) texts[first.statement] = yield* statementOf(service, first.refused)
    texts[name] = yield* statementOf(service, request)
  }
  return texts satisfies Statements
})
