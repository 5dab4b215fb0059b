import { isDeepStrictEqual } from "node:util"
import { answerOf, type LoadRequest, type Operation } from "./operation.ts"
import type { Server } from "./servers.ts"

/** The members of an answer that differ between servers: ids and times. */
const own = new Set(["id", "createdAt", "updatedAt"])

/** Makes the request for one server. Its title is its own, because an author has one Post of a title. */
const forServer = (request: LoadRequest, index: number): LoadRequest => {
  if (typeof request.body !== "string") return request
  const body = { ...JSON.parse(request.body), title: `Verification ${index}` }
  const headers = { ...request.headers, "idempotency-key": `verify-${index}` }
  return { ...request, headers, body: JSON.stringify(body) }
}

/** Returns the value of an answer without what is the server's own; white space and the order of members do not count. */
const comparable = (body: string, index: number): unknown => {
  const title = new RegExp(`(?<=erification[ -])${index}`, "g")
  return JSON.parse(body, (name, value: unknown) => {
    if (own.has(name)) return undefined
    return typeof value === "string" ? value.replaceAll(title, "") : value
  })
}

/** Fails unless all servers answer an operation with the same status and body. */
export const verify = async (servers: ReadonlyArray<Server>, { name, request, statuses }: Operation) => {
  if (request === undefined) throw new Error(`${name} has no request to compare`)
  const asked = request()
  // Uploads are stored alike and answered differently.
  if (Buffer.isBuffer(asked.body)) return
  const answers: Array<unknown> = []
  for (const [index, server] of servers.entries()) {
    const { body, status } = await answerOf(server, forServer(asked, index))
    if (status !== statuses.at(-1)) throw new Error(`${name}: ${server.name} answered ${status} ${body}`)
    answers.push(comparable(body, index))
    if (isDeepStrictEqual(answers[0], answers[index])) continue
    const [expected, actual] = [answers[0], answers[index]].map((it) => JSON.stringify(it).slice(0, 2_000))
    throw new Error(`${name}: ${server.name} answers\n${actual}\ninstead of\n${expected}`)
  }
}
