import { createServer } from "node:http"
import { createServer as createTcpServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import * as HttpClientLocal from "../../../layers/local/HttpClientLocal.ts"
import { listening } from "../../support/listening.ts"

/** A server that takes connections and says nothing. */
const silent = Effect.gen(function* () {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
  return yield* listening(Object.assign(server, { closeAllConnections: () => undefined }) as never)
})

const reasonOf = (url: string) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const { reason } = yield* Effect.flip(client.get(url))
    return reason._tag
  })

describe("the sockets of the local edition", () => {
  it.live("A socket opens in time, or fails", () =>
    Effect.gen(function* () {
      const port = yield* silent
      assert.strictEqual(yield* reasonOf(`https://127.0.0.1:${port}/`), "TransportError")
      assert.strictEqual(yield* reasonOf("http://127.0.0.1:1/"), "TransportError")
    }).pipe(Effect.provide(HttpClientLocal.layerWithin(50)))
  )

  it.live("A socket waits for an answer once it is open, keeps no cookie and follows nothing", () =>
    Effect.gen(function* () {
      const asked: Array<string | undefined> = []
      const server = createServer((request, response) => {
        asked.push(request.headers.cookie)
        response.writeHead(302, { "set-cookie": "a=b; Path=/", location: "/elsewhere" })
        setImmediate(() => response.end("moved"))
      })
      const port = yield* listening(server)
      const client = yield* HttpClient.HttpClient
      for (let i = 0; i < 2; i++) {
        const response = yield* client.get(`http://127.0.0.1:${port}/`)
        assert.deepStrictEqual([response.status, yield* response.text], [302, "moved"])
      }
      assert.deepStrictEqual(asked, [undefined, undefined])
    }).pipe(Effect.provide(HttpClientLocal.layer))
  )
})
