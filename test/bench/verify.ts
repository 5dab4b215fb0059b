import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import type { LoadRequest } from "./loadRequest.ts"
import type { Operation } from "./operation.ts"
import { answerOf, type Server } from "./servers.ts"

/** The members of an answer that differ between servers: ids, times and tokens. */
const own = new Set(["id", "createdAt", "updatedAt", "accessToken", "refreshToken"])

/** Makes the request for one server. Its key, title and token are its own, because each can be used once. */
const forServer = (operation: Operation, request: LoadRequest, index: number): LoadRequest => {
  if (operation.conversation !== undefined) return operation.request()
  if (request.body === undefined) return request
  const headers = { ...request.headers, "idempotency-key": `verify-${index}` }
  return {
    ...request,
    headers,
    body: JSON.stringify({ ...JSON.parse(request.body), title: `Verification ${index}` })
  }
}

/** Returns the value of an answer without what is the server's own; white space and the order of members do not count. */
const comparable = (body: string, index: number): unknown => {
  const title = new RegExp(`(?<=erification[ -])${index}`, "g")
  return JSON.parse(body, (name, value: unknown) => {
    if (own.has(name)) return undefined
    return typeof value === "string" ? value.replaceAll(title, "") : value
  })
}

/** Dies unless all servers answer an operation with the same status and body. */
export const verify = Effect.fnUntraced(function* (servers: ReadonlyArray<Server>, operation: Operation) {
  const request = operation.request()
  const answers: Array<unknown> = []
  for (const [index, server] of servers.entries()) {
    const { body, status } = yield* Effect.promise(() =>
      answerOf(server, forServer(operation, request, index))
    )
    if (status !== operation.status) {
      return yield* Effect.die(new Error(`${operation.name}: ${server.name} answered ${status} ${body}`))
    }
    answers.push(comparable(body, index))
    if (!isDeepStrictEqual(answers[0], answers[index])) {
      const [expected, actual] = [answers[0], answers[index]].map((it) => JSON.stringify(it))
      const message = `${operation.name}: ${server.name} answers\n${actual}\ninstead of\n${expected}`
      return yield* Effect.die(new Error(message))
    }
  }
})
