import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SERVER_LIMITS } from "../../../src/bin/server/limits.ts"
import { makeNodeServer } from "../../../src/bin/server/nodeServer.ts"
import { eventually } from "../../support/eventually.ts"
import { listening } from "../../support/listening.ts"

/** More than the sockets of both sides hold. */
const PIECE_BYTES = 24 * 1024 * 1024

/** Answers a request with a piece, for a client that reads nothing at first. */
const answeredWith = Effect.fnUntraced(function* (piece: Uint8Array) {
  const { server } = makeNodeServer({ limits: SERVER_LIMITS, baseUrl: "http://x", clientOf: (it) => it })
  server.on("request", (_, response) => {
    response.setHeader("content-length", piece.length)
    response.write(piece)
    response.end()
  })
  const port = yield* listening(server)
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect({ port, host: "127.0.0.1" })),
    (it) => Effect.sync(() => it.destroy())
  )
  socket.on("error", () => {})
  // Takes what fits its own buffer, and leaves the rest in the system.
  socket.on("readable", () => {})
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
  return socket
})

/** Reads an answer to its end. Returns its body. */
const rest = (socket: ReturnType<typeof connect>) =>
  Effect.promise(async () => {
    const parts: Array<Buffer> = []
    for await (const part of socket) parts.push(part)
    const all = Buffer.concat(parts)
    return all.subarray(all.indexOf("\r\n\r\n") + 4)
  })

describe("a piece of a file that is sent", () => {
  it.live("A piece of a file reaches a slow client whole", () =>
    Effect.gen(function* () {
      const piece = new Uint8Array(PIECE_BYTES).map((_, place) => place % 251)
      const socket = yield* answeredWith(piece)
      yield* eventually(
        "something arrives",
        Effect.sync(() => socket.readableLength > 0)
      )
      assert.isTrue((yield* rest(socket)).equals(piece))
    })
  )
})
