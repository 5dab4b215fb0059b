import { once } from "node:events"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SERVER_LIMITS } from "../../src/bin/server/limits.ts"
import { makeNodeServer } from "../../src/bin/server/nodeServer.ts"
import { eventually } from "../support/eventually.ts"

/** Exceeds what the sockets of both sides hold. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024, "x")

const CHECKS_MAX = 3

/** Number of bytes that the slow client takes between checks. */
const PART_BYTES = 2 * 1024 * 1024

/** Starts a server whose every answer is large, and calls its checks by hand. It ends with the scope. */
const serving = Effect.acquireRelease(
  Effect.promise(async () => {
    const { check, server } = makeNodeServer({
      // Room for both answers: the bound on all of them has tests of its own.
      limits: { ...SERVER_LIMITS, stalledMs: 300, checkMs: 100, backlogBytesMax: 4 * ANSWER.length },
      baseUrl: "http://localhost:4020",
      clientOf: (address) => address
    })
    server.on("request", (_, response) => void response.end(ANSWER))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    return { check, server, port: typeof address === "object" && address !== null ? address.port : 0 }
  }),
  ({ server }) => Effect.sync(() => void server.close().closeAllConnections())
)

/** Asks for an answer and takes nothing of it. */
const asking = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect({ port, host: "127.0.0.1" })
      socket.on("error", () => {})
      socket.pause()
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a client of a real socket", () => {
  it.live("A client is cut after the checks in which it took nothing, and a slow one is not", () =>
    Effect.gen(function* () {
      const { check, port, server } = yield* serving
      const connections = Effect.callback<number>((resume) => {
        server.getConnections((_, count) => resume(Effect.succeed(count)))
      })
      yield* asking(port)
      const slow = yield* asking(port)
      let taken = 0
      let enough = 0
      slow.on("data", (chunk) => {
        taken += chunk.length
        if (taken > enough) slow.pause()
      })
      yield* eventually(
        "two connections",
        Effect.map(connections, (count) => count === 2)
      )
      let cuts = 0
      let checks = 0
      while (cuts === 0 && checks <= 2 * CHECKS_MAX) {
        enough = taken + PART_BYTES
        slow.resume()
        yield* eventually(
          "a part of the answer",
          Effect.sync(() => taken > enough)
        )
        checks++
        cuts = check()
      }
      assert.strictEqual(cuts, 1)
      assert.isAtLeast(checks, CHECKS_MAX)
      yield* eventually(
        "one connection",
        Effect.map(connections, (count) => count === 1)
      )
      assert.isFalse(slow.destroyed)
    })
  )
})
