import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"

/**
 * The moment of a kill: before a request reaches the service, after the service has done it, or after its sender has the
 * answer.
 */
export type Moment = "after" | "answered" | "before"

interface Killing {
  readonly picked: (
    method: string,
    path: string,
    headers: IncomingMessage["headers"],
    body: string
  ) => boolean
  readonly moment: Moment
  readonly kill: () => void
  /** Called right before the sender gets its answer: it keeps what the sender would do with it from being done. */
  readonly hold?: () => void
}

/** A way to a service on which a request kills its sender. */
export interface KillingProxy {
  readonly origin: string
  /** Kills the sender at the next request that is picked. */
  readonly arm: (killing: Killing) => void
  /** Resolves when the service has answered all that it was sent. */
  readonly idle: () => Promise<void>
}

/** Milliseconds in which a sender reads an answer that it has. */
const READING_MILLIS = 50

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

/** Starts a proxy before a service, which may start later, for the time of the scope. */
export const killingProxy = Effect.fnUntraced(function* (target: () => string) {
  let armed: Killing | undefined
  const underway = new Set<Promise<unknown>>()
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await bodyOf(incoming)
    const { headers, method = "", url = "" } = incoming
    const isPicked = armed?.picked(method, url, headers, body.toString()) === true
    const killing = isPicked ? armed : undefined
    if (isPicked) armed = undefined
    if (killing?.moment === "before") {
      killing.kill()
      outgoing.destroy()
      return
    }
    const answered = await forwarded(target(), incoming, body)
    if (killing?.moment === "after") {
      killing.kill()
      outgoing.destroy()
      return
    }
    killing?.hold?.()
    outgoing.writeHead(answered.status, answered.headers).end(answered.body)
    if (killing !== undefined) void sleep(READING_MILLIS).then(killing.kill)
  }
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((incoming, outgoing) => {
        const answering = answer(incoming, outgoing)
          .catch(() => outgoing.destroy())
          .finally(() => underway.delete(answering))
        underway.add(answering)
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
    },
    idle: async () => {
      while (underway.size > 0) await Promise.all(underway)
    }
  } satisfies KillingProxy
})
