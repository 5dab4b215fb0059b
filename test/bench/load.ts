import autocannon from "autocannon"
import type { LoadRequest } from "./loadRequest.ts"
import type { Operation } from "./operation.ts"
import type { Server, Usage } from "./servers.ts"

/** The numbers of a round of one server and one operation. */
export interface Round extends Usage {
  /** Operations. Each may be several requests. */
  readonly requests: number
  readonly seconds: number
  readonly latencies: ReadonlyArray<number>
}

export const CONNECTIONS = 32
const MADE_BYTES = 30_000_000

/** The parts of an operation that a load needs. */
export type LoadedOperation = Pick<
  Operation,
  "conversation" | "isAskingTerms" | "isRead" | "name" | "request"
>

/** A client, with the answers that it waits for. Its types leave them out. */
type Waiting = autocannon.Client & { readonly pipelinedRequests: { addBody: (bytes: Uint8Array) => void } }

/**
 * Lets a client drop the bodies of its answers. It would decode each as UTF-8, and Brotli takes that so long (90 µs for 4 kB)
 * that the load would be slower than the server.
 */
const dropBodies = (client: autocannon.Client): void => {
  ;(client as Waiting).pipelinedRequests.addBody = () => {}
}

/** The requests of each connection, one after the other. */
const connectionsOf = (
  operation: LoadedOperation,
  seconds: number
): ((client: autocannon.Client) => void) => {
  const { conversation, isRead, request } = operation
  const setup = (client: autocannon.Client, next: () => LoadRequest, onAnswer?: (answer: string) => void) =>
    client.setRequests([
      {
        setupRequest: (defaults) => ({ ...defaults, ...next() }),
        ...(onAnswer === undefined ? {} : { onResponse: (_status, answer) => onAnswer(answer) })
      }
    ])
  if (conversation !== undefined) {
    return (client) => {
      const next = conversation.begin()
      let lastAnswer = ""
      setup(
        client,
        () => next(lastAnswer),
        (answer) => (lastAnswer = answer)
      )
    }
  }
  // Writing a draft takes longer than sending it, so the load writes as many as it has room for in advance.
  const room = Math.ceil(MADE_BYTES / (request().body?.length ?? 1))
  const made = isRead ? [] : Array.from({ length: Math.min(3_000 * seconds, room) }, request)
  return (client) => {
    dropBodies(client)
    setup(client, () => made.pop() ?? request())
  }
}

/** Adds up the times of the requests that are one operation of a connection. */
const timesOf = (steps: number) => {
  const latencies: Array<number> = []
  const open = new Map<autocannon.Client, { steps: number; milliseconds: number }>()
  const add = (client: autocannon.Client, milliseconds: number) => {
    const unit = open.get(client) ?? { steps: 0, milliseconds: 0 }
    unit.steps++
    unit.milliseconds += milliseconds
    open.set(client, unit)
    if (unit.steps < steps) return
    latencies.push(unit.milliseconds)
    open.delete(client)
  }
  return { add, latencies }
}

const isSuccess = (status: number, { isAskingTerms }: LoadedOperation) =>
  (status >= 200 && status < 300) || (status === 402 && isAskingTerms === true)

/** Loads a server with one operation for some seconds. The run fails for any answer but a success. */
export const load = async (server: Server, operation: LoadedOperation, seconds: number): Promise<Round> => {
  const steps = operation.conversation?.steps ?? 1
  const { add, latencies } = timesOf(steps)
  const setupClient = connectionsOf(operation, seconds)
  let succeeded = 0
  let refused = 0
  const finish = server.measure()
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      { url: server.url, connections: CONNECTIONS, duration: seconds, setupClient },
      (error, result) => (error === null ? resolve(result) : reject(error))
    )
    instance.on("response", (client, status, _bytes, milliseconds) => {
      add(client, milliseconds)
      if (isSuccess(status, operation)) succeeded++
      else refused++
    })
  })
  const usage = finish()
  const failed = refused + result.errors + result.timeouts + result.mismatches
  if (failed > 0 || succeeded === 0)
    throw new Error(
      `${operation.name}: ${failed} requests to ${server.name} failed, and ${succeeded} did not`
    )
  return { ...usage, requests: succeeded / steps, seconds: result.duration, latencies }
}
