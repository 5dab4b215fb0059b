import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SERVER_LIMITS } from "../../src/bin/server/limits.ts"
import { makeNodeServer } from "../../src/bin/server/nodeServer.ts"
import { eventually } from "../support/eventually.ts"
import { listening } from "../support/listening.ts"
import { get } from "./sockets.ts"

/** Exceeds what the sockets of both sides hold. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024, "x")

/** Number of bytes that the slow client takes at a time. */
const PART_BYTES = 64 * 1024

/** Asks for an answer and takes nothing of it. */
const asking = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect({ port, host: "127.0.0.1" })
      socket.on("error", () => {})
      socket.pause()
      socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a client of a real socket", () => {
  it.live("A client that takes nothing of its answer is cut, and a slow one gets all of it", () =>
    Effect.gen(function* () {
      const { server } = makeNodeServer({
        limits: { ...SERVER_LIMITS, stalledMs: 1_000 },
        baseUrl: "http://localhost:4020",
        clientOf: (address) => address
      })
      server.on("request", (_, response) => void response.end(ANSWER))
      const port = yield* listening(server)
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
      while ((yield* connections) === 2) {
        enough = taken + PART_BYTES
        slow.resume()
        yield* eventually(
          "a part of the answer",
          Effect.sync(() => taken > enough)
        )
      }
      assert.isBelow(taken, ANSWER.length)
      enough = Infinity
      slow.resume()
      yield* eventually(
        "the whole answer",
        Effect.sync(() => taken > ANSWER.length)
      )
    })
  )

  it.live("The client that leaves most waiting is cut when too much waits in all", () =>
    Effect.gen(function* () {
      const { check, server } = makeNodeServer({
        limits: { ...SERVER_LIMITS, waitingBytesMax: 1.25 * ANSWER.length },
        baseUrl: "http://localhost:4020",
        clientOf: (address) => address
      })
      let answers = 0
      server.on("request", (_, response) => {
        answers++
        response.end(answers === 1 ? ANSWER : ANSWER.subarray(ANSWER.length / 2))
      })
      const port = yield* listening(server)
      const sockets: Array<Socket> = []
      for (const answered of [1, 2, 3]) {
        sockets.push(yield* asking(port))
        yield* eventually(
          "an answer",
          Effect.sync(() => answers === answered)
        )
      }
      check()
      for (const [at, isCut] of [true, false, false].entries()) {
        let taken = 0
        sockets[at]?.on("data", (chunk) => (taken += chunk.length)).resume()
        yield* eventually(
          "the end of the answer",
          Effect.sync(() => sockets[at]?.destroyed === true)
        )
        assert.strictEqual(taken < 0.4 * ANSWER.length, isCut, `${at}: ${taken}`)
      }
    })
  )

  it.live("An answer that is long in the making is waited for", () =>
    Effect.gen(function* () {
      const { server } = makeNodeServer({
        limits: { ...SERVER_LIMITS, stalledMs: 50 },
        baseUrl: "http://localhost:4020",
        clientOf: (address) => address
      })
      server.on("request", (_, response) => server.once("timeout", () => response.end("late")))
      const port = yield* listening(server)
      assert.strictEqual((yield* get(`http://127.0.0.1:${port}`)).text, "late")
    })
  )
})
