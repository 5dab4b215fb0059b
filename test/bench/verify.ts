import { Effect } from "effect"
import type { LoadRequest, Operation } from "./operations.ts"
import { answerOf, type Server } from "./servers.ts"

/** Matches the parts of an answer that differ between servers: ids, times and tokens. */
const own = /"(id|createdAt|updatedAt|accessToken|refreshToken)" ?: ?"[^"]*"/g

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

const comparable = (body: string, index: number) =>
  body.replaceAll(own, "").replaceAll(new RegExp(`(?<=erification[ -])${index}`, "g"), "")

/** Dies unless all servers answer an operation with the same status and body. */
export const verify = Effect.fnUntraced(function* (servers: ReadonlyArray<Server>, operation: Operation) {
  const request = operation.request()
  const answers: Array<string> = []
  for (const [index, server] of servers.entries()) {
    const { body, status } = yield* Effect.promise(() =>
      answerOf(server, forServer(operation, request, index))
    )
    if (status !== operation.status) {
      return yield* Effect.die(new Error(`${operation.name}: ${server.name} answered ${status} ${body}`))
    }
    answers.push(comparable(body, index))
    if (answers[0] !== answers[index]) {
      const message = `${operation.name}: ${server.name} answers\n${answers[index]}\ninstead of\n${answers[0]}`
      return yield* Effect.die(new Error(message))
    }
  }
})
