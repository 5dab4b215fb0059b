import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { SERVER_LIMITS } from "../../../src/bin/server/limits.ts"
import { makeNodeServer } from "../../../src/bin/server/nodeServer.ts"
import { sentOnce } from "../../../src/platform/http/sentOnce.ts"
import { eventually } from "../../support/eventually.ts"
import { listening } from "../../support/listening.ts"

/** More than the sockets of both sides hold. */
const PIECE_BYTES = 24 * 1024 * 1024

const markedPiece = Effect.gen(function* () {
  const piece = new Uint8Array(PIECE_BYTES).map((_, place) => place % 251)
  yield* Stream.runDrain(sentOnce(Stream.succeed(piece)))
  return piece
})

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
  it.live("stays until a slow client has all of it, and is freed then", () =>
    Effect.gen(function* () {
      const piece = yield* markedPiece
      const expected = Buffer.from(piece)
      const socket = yield* answeredWith(piece)
      yield* eventually(
        "something arrives",
        Effect.sync(() => socket.readableLength > 0)
      )
      assert.strictEqual(piece.length, PIECE_BYTES)
      assert.isTrue((yield* rest(socket)).equals(expected))
      yield* eventually(
        "it is freed",
        Effect.sync(() => piece.length === 0)
      )
    })
  )

  it.live("stays when anything else uses it", () =>
    Effect.gen(function* () {
      const piece = new Uint8Array(PIECE_BYTES).fill(7)
      const socket = yield* answeredWith(piece)
      assert.strictEqual((yield* rest(socket)).length, PIECE_BYTES)
      assert.strictEqual(piece.length, PIECE_BYTES)
    })
  )

  it.live("stays when its client leaves in the middle of it", () =>
    Effect.gen(function* () {
      const piece = yield* markedPiece
      const socket = yield* answeredWith(piece)
      yield* eventually(
        "something arrives",
        Effect.sync(() => socket.readableLength > 0)
      )
      socket.destroy()
      yield* eventually(
        "it is gone",
        Effect.sync(() => socket.closed)
      )
      assert.strictEqual(piece.length, PIECE_BYTES)
    })
  )
})
