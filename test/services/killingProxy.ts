import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** The moment of a kill: before a request reaches the service, or after the service has done it. */
export type Moment = "after" | "before"

interface Killing {
  readonly picked: (method: string, path: string) => boolean
  readonly moment: Moment
  readonly kill: () => void
}

/** A way to a service on which a request kills its sender. */
export interface KillingProxy {
  readonly origin: string
  /** Kills the sender at the next request that is picked. */
  readonly arm: (killing: Killing) => void
}

const bodyOf = async (incoming: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of incoming) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Sends a request on. Resolves when the whole answer is there. */
const forwarded = (origin: string, incoming: IncomingMessage, body: Buffer) =>
  new Promise<{
    readonly status: number
    readonly headers: IncomingMessage["headers"]
    readonly body: Buffer
  }>((resolve, reject) => {
    const { host: _, ...headers } = incoming.headers
    const outgoing = request(
      `${origin}${incoming.url ?? "/"}`,
      { method: incoming.method ?? "GET", headers },
      (answer) => {
        bodyOf(answer).then(
          (bytes) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: bytes }),
          reject
        )
      }
    )
    outgoing.on("error", reject)
    outgoing.end(body)
  })

/** Starts a proxy before a service, for the time of the scope. */
export const killingProxy = Effect.fnUntraced(function* (target: string) {
  let armed: Killing | undefined
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await bodyOf(incoming)
    const isPicked = armed?.picked(incoming.method ?? "", incoming.url ?? "") === true
    const killing = isPicked ? armed : undefined
    if (isPicked) armed = undefined
    if (killing?.moment === "before") {
      killing.kill()
      outgoing.destroy()
      return
    }
    const answered = await forwarded(target, incoming, body)
    if (killing !== undefined) {
      killing.kill()
      outgoing.destroy()
      return
    }
    outgoing.writeHead(answered.status, answered.headers).end(answered.body)
  }
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((incoming, outgoing) => {
        answer(incoming, outgoing).catch(() => outgoing.destroy())
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.close()
        made.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    arm: (killing) => {
      armed = killing
    }
  } satisfies KillingProxy
})
