import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LoadRequest, Operation } from "./load.ts"
import { applicationNames, type Server } from "./servers.ts"

/** What two servers cannot have alike: the id and the times of what each of them creates. */
const own = /"(id|createdAt|updatedAt)" : "[^"]*"/g

/** Another request of the same meaning: a repeat of a key would not be the same work. */
const again = (request: LoadRequest, server: Server, title: string): LoadRequest => {
  if (request.body === undefined) return request
  const headers = { ...request.headers, "idempotency-key": `verify-${server.name}` }
  // Under another title for each, as a slug is unique, but one as long.
  return { ...request, headers, body: JSON.stringify({ ...JSON.parse(request.body), title }) }
}

const answerOf = async (server: Server, { path, ...request }: LoadRequest) => {
  const response = await fetch(`${server.url}${path}`, request)
  return { status: response.status, body: await response.text() }
}

const oneSpace = (statement: string) => statement.replaceAll(/\s+/g, "")

/** What a server's connections sent last. */
const lastStatements = Effect.fnUntraced(function* (server: Server) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly query: string }>`
    select query from pg_stat_activity
    where application_name = ${applicationNames[server.name]} and datname = current_database()`
  return rows.map(({ query }) => oneSpace(query))
})

/**
 * Dies unless all servers answer an operation with the same status and body, and the reference servers sent a
 * statement that the service sent too.
 */
export const verify = Effect.fnUntraced(function* (servers: ReadonlyArray<Server>, operation: Operation) {
  const request = operation.request()
  const answers: Array<string> = []
  const statements: Array<ReadonlyArray<string>> = []
  for (const [index, server] of servers.entries()) {
    const title = `Verification ${index}`
    const { body, status } = yield* Effect.promise(() => answerOf(server, again(request, server, title)))
    const isExpected = status === (operation.isRead ? 200 : 201)
    if (!isExpected)
      return yield* Effect.die(new Error(`${operation.name}: ${server.name} answered ${status} ${body}`))
    answers.push(body.replaceAll(own, "").replaceAll(new RegExp(`(?<=erification[ -])${index}`, "g"), ""))
    statements.push(yield* lastStatements(server))
  }
  const [ours = "", ...others] = answers
  const different = others.findIndex((answer) => answer !== ours)
  if (different >= 0) {
    return yield* Effect.die(
      new Error(
        `${operation.name}: ${servers[different + 1]?.name} answers\n${others[different]}\ninstead of\n${ours}`
      )
    )
  }
  const [sent = [], ...theirs] = statements
  if (!theirs.every((last) => last.some((statement) => sent.includes(statement)))) {
    const message = `${operation.name}: reference/statements.ts is not what the service sends any more`
    return yield* Effect.die(new Error(`${message}, which is one of\n${sent.join("\n")}`))
  }
})
