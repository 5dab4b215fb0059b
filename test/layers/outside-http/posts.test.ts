import { createServer as createHttpsServer } from "node:https"
import { createServer, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { listening } from "../../support/listening.ts"
import { certificate, certificateKey } from "../mail/certificate.ts"
import { PRIVATE, PUBLIC, world, ZONE } from "./world.ts"

/** Starts a server that answers with these bytes, and a client whose operator allows it by its address. */
const rawServer = Effect.fnUntraced(function* (onConnection: (socket: Socket) => void) {
  const port = yield* listening(
    createServer((socket) => {
      socket.on("error", () => undefined)
      onConnection(socket)
    })
  )
  const { post } = yield* world(() => undefined, {}, [`127.0.0.1:${port}`])
  return (scheme = "http", timeoutMillis = 15_000) =>
    post(`${scheme}://127.0.0.1:${port}/hook`, { timeoutMillis })
})

const reasonOf = <A, R>(effect: Effect.Effect<A, { readonly reason: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const head = (length: number | string) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`

describe("messages to servers that strangers name", () => {
  it.live("A message has exactly the headers and the bytes that it says", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const server = yield* listeningServer((request, body) => seen.push([request, body]))
      const answer = yield* server("/hook?a=b")
      assert.deepStrictEqual([answer.status, answer.retryAfter, answer.response], [503, "7", undefined])
      const [[{ headers, method, url }, body]] = seen as unknown as [
        [{ headers: Record<string, string>; method: string; url: string }, string]
      ]
      assert.deepStrictEqual([method, url, body], ["POST", "/hook?a=b", '{"text":"…"}'])
      assert.deepStrictEqual(Object.keys(headers).toSorted(), [
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "webhook-id"
      ])
    })
  )

  it.live("A redirect is an answer, and is not followed", () =>
    Effect.gen(function* () {
      let requests = 0
      const post = yield* rawServer((socket) => {
        requests += 1
        socket.end("HTTP/1.1 307 Temporary Redirect\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n")
      })
      assert.strictEqual((yield* post()).status, 307)
      assert.strictEqual(requests, 1)
    })
  )

  it.live("A public server needs https, an allowed port and public addresses, at every connection", () =>
    Effect.gen(function* () {
      const { asked, checkPost, port, post } = yield* world(
        createHttpsServer({ cert: certificate, key: certificateKey }, (_, response) => response.end()),
        { ...ZONE, "mixed.example": [[PUBLIC, PRIVATE]], "rebinding.example": [[PUBLIC], [PRIVATE]] }
      )
      const cases = {
        nonsense: "invalid",
        "ftp://pictures.example/": "invalid",
        "https://user@pictures.example/": "invalid",
        "http://pictures.example/": "https_required",
        "https://pictures.example:25/": "port_not_allowed",
        "https://pictures.example:80/": "port_not_allowed",
        "https://pictures.example:6667/": "port_not_allowed",
        "https://127.0.0.1/": "address_not_public",
        "https://0x7f.1/": "address_not_public",
        "https://8.8.8.8/": "address_not_public",
        "https://localhost/": "address_not_public",
        "https://inside.example/": "address_not_public",
        "https://mixed.example/": "address_not_public",
        "https://unknown.example/": "address_not_public",
        "https://pictures.example/": undefined,
        "https://pictures.example:8443/a?b": undefined
      }
      for (const [url, refusal] of Object.entries(cases))
        assert.strictEqual(yield* checkPost(url), refusal, url)
      assert.isUndefined(yield* checkPost(`https://rebinding.example:${port}/`))
      for (const url of [
        `https://rebinding.example:${port}/`,
        `https://inside.example:${port}/`,
        "https://127.0.0.1/"
      ])
        assert.strictEqual(yield* reasonOf(post(url)), "address_not_public", url)
      assert.lengthOf(
        asked.filter((name) => name === "rebinding.example"),
        2
      )
      // A certificate of a stranger's own authority.
      assert.strictEqual(yield* reasonOf(post(`https://pictures.example:${port}/`)), "tls")
    })
  )

  it.live("The beginning of an answer is read for a second, and its status counts", () =>
    Effect.gen(function* () {
      const drips = yield* rawServer((socket) => {
        socket.write(head("100000000"))
        const drip = () => void socket.write("x".repeat(10), (error) => error ?? setImmediate(drip))
        drip()
      })
      const before = yield* Clock.currentTimeMillis
      assert.strictEqual((yield* drips()).status, 200)
      assert.isBelow((yield* Clock.currentTimeMillis) - before, 5_000)
      const large = yield* rawServer((socket) => {
        socket.write(head(10_000_000))
        const pour = () => void socket.write("x".repeat(100_000), (error) => error ?? setImmediate(pour))
        pour()
      })
      assert.strictEqual((yield* large()).status, 200)
      const broken = yield* rawServer((socket) => socket.end(`${head(1000)}short`))
      assert.strictEqual((yield* broken()).status, 200)
    })
  )

  it.live("A server that is silent, drips its headers or does not speak HTTP gives the reason, in time", () =>
    Effect.gen(function* () {
      const silent = yield* rawServer(() => undefined)
      assert.strictEqual(yield* reasonOf(silent("http", 200)), "timeout")
      const drips = yield* rawServer((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const drip = async () => {
          while (!socket.destroyed) {
            socket.write("x: y\r\n")
            await setTimeout(20)
          }
        }
        void drip()
      })
      assert.strictEqual(yield* reasonOf(drips("http", 300)), "timeout")
      const garbage = yield* rawServer((socket) => socket.end("220 mail.example ESMTP\r\n"))
      assert.strictEqual(yield* reasonOf(garbage()), "protocol")
      assert.strictEqual(yield* reasonOf(garbage("https")), "tls")
      const headers = yield* rawServer((socket) =>
        socket.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(40_000)}\r\n\r\n`)
      )
      assert.strictEqual(yield* reasonOf(headers()), "protocol")
      const closes = yield* rawServer((socket) => socket.destroy())
      assert.strictEqual(yield* reasonOf(closes()), "connection")
    })
  )
})

/** Starts a server that is busy, and returns the function that sends it a message. */
const listeningServer = Effect.fnUntraced(function* (
  seen: (
    request: { readonly headers: unknown; readonly method: unknown; readonly url: unknown },
    body: string
  ) => void
) {
  const { createServer: createHttpServer } = yield* Effect.promise(() => import("node:http"))
  const port = yield* listening(
    createHttpServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
      request.on("end", () => {
        seen({ headers: request.headers, method: request.method, url: request.url }, body)
        response.writeHead(503, { "retry-after": "7" }).end("busy")
      })
    })
  )
  const { post } = yield* world(() => undefined, {}, [`127.0.0.1:${port}`])
  return (path: string) =>
    post(`http://127.0.0.1:${port}${path}`, {
      headers: { "user-agent": "Test/1", "content-type": "application/json", "webhook-id": "a" },
      body: '{"text":"…"}'
    })
})
