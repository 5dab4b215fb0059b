import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LoadRequest } from "./loadRequest.ts"
import type { Operation } from "./operation.ts"
import { answerOf, type Server } from "./servers.ts"

/** The text of a statement by its name. */
export type Statements = Readonly<Record<string, string>>

/** Statements of the service's workers: they look for work as long as the service runs. */
const WORK = "skip locked|counter_changes"

/** Looks for a statement, while workers use the connection that it was sent on. */
const LOOKS = 20

/** Returns the last statement that PostgreSQL got from the service for a request. */
const lastStatement = Effect.fnUntraced(function* (service: Server, request: LoadRequest) {
  const sql = yield* SqlClient.SqlClient
  for (let look = 0; look < LOOKS; look++) {
    yield* Effect.promise(() => answerOf(service, request))
    const [row] = yield* sql<{ readonly query: string; readonly isWhole: boolean }>`
      select query, octet_length(query) < pg_size_bytes(current_setting('track_activity_query_size')) - 1 as "isWhole"
      from pg_stat_activity where application_name = 'pennypress' and datname = current_database()
        and query !~ ${WORK}
      order by query_start desc limit 1`
    if (row?.isWhole === true) return row.query
    if (row !== undefined)
      return yield* Effect.die(
        new Error("The server needs track_activity_query_size = 16kB, to show whole statements")
      )
  }
  return yield* Effect.die(new Error(`${request.path} sent no statement`))
})

/** Returns a statement that was seen twice in a row, because workers of the service send statements too. */
const statementOf = Effect.fnUntraced(function* (service: Server, request: () => LoadRequest) {
  let before = ""
  let last = yield* lastStatement(service, request())
  while (last !== before) {
    before = last
    last = yield* lastStatement(service, request())
  }
  return last
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
