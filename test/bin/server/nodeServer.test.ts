import type { IncomingMessage, ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PIPELINED_MAX } from "../../../src/bin/server/connections.ts"
import { SERVER_LIMITS } from "../../../src/bin/server/limits.ts"
import { makeNodeServer } from "../../../src/bin/server/nodeServer.ts"
import { listening } from "../../support/listening.ts"
import { connection } from "../../wire/sockets.ts"

const asked = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

/** Sends this many requests in one piece to a server that answers none. Returns how many it began, once cut. */
const begun = Effect.fnUntraced(function* (requests: number) {
  const { server } = makeNodeServer({ limits: SERVER_LIMITS, baseUrl: "http://x", clientOf: (it) => it })
  let count = 0
  server.on("request", () => count++)
  const { closed, write } = yield* connection(yield* listening(server))
  yield* write(asked.repeat(requests))
  yield* closed
  return count
}, Effect.scoped)

/** A request in each way that HTTP/1.1 has. */
const REQUESTS = [
  asked,
  "HEAD /health/ready HTTP/1.1\r\nHost: x\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
  "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
]

/** Asks in each way, and compares the answers. A client that waits to send its body may be told to go on first. */
const answeredBy = Effect.fnUntraced(function* (port: number, expected: RegExp) {
  for (const request of REQUESTS) {
    const { closed, write } = yield* connection(port)
    yield* write(request)
    assert.match((yield* closed).replace("HTTP/1.1 100 Continue\r\n\r\n", ""), expected)
  }
}, Effect.scoped)

const UNAVAILABLE =
  /^HTTP\/1\.1 503 [^]*type: application\/problem\+json[^]*retry-after: 1\r[^]*x-request-id: [^]*connection: close/

describe("Node's server", () => {
  it.live("A request that comes before the start or after the stop is told to come back", () =>
    Effect.gen(function* () {
      const { server } = makeNodeServer({ limits: SERVER_LIMITS, baseUrl: "http://x", clientOf: (it) => it })
      const port = yield* listening(server)
      const listener = (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(204, { connection: "close" }).end()
      yield* answeredBy(port, UNAVAILABLE)
      server.on("request", listener)
      yield* answeredBy(port, /^HTTP\/1\.1 204 /)
      server.off("request", listener)
      yield* answeredBy(port, UNAVAILABLE)
    })
  )

  it.live("Node drops the rest of pipelined requests once it has closed their connection", () =>
    Effect.gen(function* () {
      for (const requests of [PIPELINED_MAX + 1, 500]) {
        assert.strictEqual(yield* begun(requests), PIPELINED_MAX + 1, `${requests}`)
      }
    })
  )
})
