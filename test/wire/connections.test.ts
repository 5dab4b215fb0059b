import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { started } from "./server.ts"
import { connection, get } from "./sockets.ts"

const asked = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"

/** Opens connections and waits until each has the answer to a request, or is closed. */
const opened = (port: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }),
    () =>
      Effect.gen(function* () {
        const { closed, received, socket, write } = yield* connection(port)
        yield* write(asked)
        yield* Effect.raceFirst(received('{"status":"live"}'), closed)
        return socket
      }),
    { concurrency: "unbounded" }
  )

const isOpen = (socket: { readonly readyState: string }) => socket.readyState === "open"

describe("connections", () => {
  it.live("A client has a bounded number of connections, and a closed one makes room", () =>
    Effect.gen(function* () {
      const { port } = yield* started("test_wire_client_connections", { connectionsPerClientMax: 3 })
      const sockets = yield* opened(port, 5)
      assert.strictEqual(sockets.filter(isOpen).length, 3)
      sockets.find(isOpen)?.destroy()
      yield* eventually(
        "room for another",
        Effect.map(opened(port, 1), ([socket]) => socket !== undefined && isOpen(socket))
      )
    })
  )

  it.live("A trusted proxy has the connections of many clients", () =>
    Effect.gen(function* () {
      const { port } = yield* started(
        "test_wire_proxy_connections",
        { connectionsPerClientMax: 3 },
        { TRUSTED_PROXIES: "127.0.0.0/8" }
      )
      const sockets = yield* opened(port, 10)
      assert.strictEqual(sockets.filter(isOpen).length, 10)
    })
  )

  it.live("A process has a bounded number of connections, and the longest idle one makes room", () =>
    Effect.gen(function* () {
      const { origin, port } = yield* started("test_wire_connections", { connectionsMax: 3 })
      const [first] = yield* opened(port, 1)
      const [second, third] = yield* opened(port, 2)
      const [fourth] = yield* opened(port, 1)
      yield* eventually(
        "the end of the longest idle",
        Effect.sync(() => first !== undefined && !isOpen(first))
      )
      assert.deepStrictEqual(
        [second, third, fourth].map((it) => it !== undefined && isOpen(it)),
        [true, true, true]
      )
      assert.strictEqual((yield* get(`${origin}/health/live`)).status, 200)
    })
  )

  it.live("A connection with more requests than can be answered together is closed", () =>
    Effect.gen(function* () {
      const { port } = yield* started("test_wire_pipelined")
      const few = yield* connection(port)
      yield* few.write(asked.repeat(10))
      const answers = yield* few.received("live")
      assert.include(answers, "HTTP/1.1 200")
      const many = yield* connection(port)
      yield* many.write("GET /api/posts HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500))
      yield* many.closed
    })
  )
})
