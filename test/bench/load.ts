import autocannon from "autocannon"
import type { Operation } from "./operation.ts"
import type { Server, Usage } from "./servers.ts"

/** The numbers of a round of one server and one operation. */
export interface Round extends Usage {
  /** Operations. Each may be several requests. */
  readonly operations: number
  readonly seconds: number
  /** Milliseconds of each operation. */
  readonly latencies: ReadonlyArray<number>
}

export const CONNECTIONS = 32

/** A client, with the answers that it waits for. Its types leave them out. */
type Waiting = autocannon.Client & { readonly pipelinedRequests: { addBody: (bytes: Uint8Array) => void } }

/**
 * Lets a client drop the bodies of its answers. It would decode each as UTF-8, and Brotli takes that so long (90 µs for 4 kB)
 * that the load would be slower than the server.
 */
const dropBodies = (client: autocannon.Client): void => {
  ;(client as Waiting).pipelinedRequests.addBody = () => {}
}

/** Gives a client its requests, one after the other. */
const setupOf =
  ({ conversation, name, request }: Operation) =>
  (client: autocannon.Client) => {
    const next = conversation?.begin() ?? request
    if (next === undefined) throw new Error(`${name} has no requests`)
    if (conversation === undefined) dropBodies(client)
    let lastAnswer = ""
    client.setRequests([
      {
        setupRequest: (defaults) => ({ ...defaults, ...next(lastAnswer) }),
        onResponse: (_status, answer) => (lastAnswer = answer)
      }
    ])
  }

/** Adds up the times of the requests that are one operation of a connection. */
const timesOf = (steps: number) => {
  const latencies: Array<number> = []
  const open = new Map<autocannon.Client, ReadonlyArray<number>>()
  const add = (client: autocannon.Client, milliseconds: number) => {
    const times = [...(open.get(client) ?? []), milliseconds]
    if (times.length === steps) latencies.push(times.reduce((sum, time) => sum + time, 0))
    open.set(client, times.length === steps ? [] : times)
  }
  return { add, latencies }
}

type Length = { readonly seconds: number; readonly connections?: number }

const loaded = async (
  server: Server,
  operation: Operation,
  { connections = CONNECTIONS, seconds }: Length
): Promise<Round> => {
  const steps = operation.conversation?.steps ?? 1
  const { add, latencies } = timesOf(steps)
  const setupClient = setupOf(operation)
  let succeeded = 0
  const refused: Array<number> = []
  const finish = server.measure()
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      { url: server.url, connections, duration: seconds, setupClient },
      (error, result) => (error === null ? resolve(result) : reject(error))
    )
    instance.on("response", (client, status, _bytes, milliseconds) => {
      add(client, milliseconds)
      if (operation.statuses.includes(status)) succeeded++
      else refused.push(status)
    })
  })
  const usage = finish()
  const lost = result.errors + result.timeouts + result.mismatches
  if (lost > 0 || refused.length > 0)
    throw new Error(`${operation.name} of ${server.name}: ${lost} lost, refused ${refused.join(" ")}`)
  return { ...usage, operations: succeeded / steps, seconds: result.duration, latencies }
}

/** Loads a server with one operation for some seconds. Fails for any answer but a success. */
export const load = async (server: Server, operation: Operation, length: Length): Promise<Round> => {
  const { forget, once } = operation
  if (once === undefined) {
    const round = await loaded(server, operation, length)
    await forget?.(server)
    return round
  }
  const finish = server.measure()
  const milliseconds = await once(server)
  return { ...finish(), operations: 1, seconds: milliseconds / 1000, latencies: [milliseconds] }
}
