import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { listening } from "../../support/listening.ts"
import { PRIVATE, PUBLIC, world, ZONE } from "./world.ts"

describe("requests to servers that strangers name", () => {
  it.live("A request carries its name, and neither a cookie, a referrer nor a wish for compression", () =>
    Effect.gen(function* () {
      const { get, port } = yield* world((request, response) => {
        response.end(JSON.stringify({ url: request.url, headers: request.headers }))
      }, ZONE)
      const { body, status } = yield* get("http://pictures.example:PORT/a.png?b=c#d")
      assert.strictEqual(status, 200)
      const { headers, url } = JSON.parse(Buffer.from(body).toString())
      assert.strictEqual(url, "/a.png?b=c")
      assert.deepStrictEqual(headers, {
        host: `pictures.example:${port}`,
        connection: "keep-alive",
        "user-agent": "Test/1",
        accept: "*/*",
        "accept-encoding": "identity"
      })
    })
  )

  it.live(
    "A name with a private address, with one of two, with none, or that changes its mind is refused",
    () =>
      Effect.gen(function* () {
        let requests = 0
        const { asked, get, reasonOf } = yield* world(
          (_, response) => {
            requests += 1
            response.setHeader("connection", "close").end("picture")
          },
          {
            ...ZONE,
            "mixed.example": [[PUBLIC, PRIVATE]],
            "rebinding.example": [[PUBLIC], [PRIVATE]]
          }
        )
        for (const name of ["inside", "mixed", "unknown"])
          assert.strictEqual(yield* reasonOf(`http://${name}.example:PORT/`), "address_not_public", name)
        assert.strictEqual(requests, 0)
        // Every connection has a look-up of its own.
        assert.strictEqual((yield* get("http://rebinding.example:PORT/")).status, 200)
        assert.strictEqual(yield* reasonOf("http://rebinding.example:PORT/"), "address_not_public")
        assert.deepStrictEqual([requests, asked.filter((it) => it === "rebinding.example").length], [1, 2])
      })
  )

  it.live("Silence about one family of addresses leaves the other, and silence about both is a timeout", () =>
    Effect.gen(function* () {
      const { get, reasonOf } = yield* world((_, response) => response.end("picture"), {
        "half.example": [[PUBLIC]],
        "half-inside.example": [[PRIVATE]]
      })
      assert.strictEqual((yield* get("http://half.example:PORT/")).status, 200)
      assert.strictEqual(yield* reasonOf("http://half-inside.example:PORT/"), "address_not_public")
      assert.strictEqual(yield* reasonOf("http://half-unknown.example:PORT/"), "timeout")
      assert.strictEqual(yield* reasonOf("http://silent.example:PORT/"), "timeout")
    })
  )

  it.live("A redirect is checked like the first URL, and followed three times", () =>
    Effect.gen(function* () {
      const { get, port, reasonOf } = yield* world((request, response) => {
        const [, kind, rest] = /^\/(\w+)\/?(.*)$/.exec(request.url ?? "") ?? []
        const left = Number(rest)
        if (kind === "hops" && left === 0) return response.end("arrived")
        const location = {
          hops: `/hops/${left - 1}`,
          inside: `http://inside.example:${port}/`,
          literal: `http://${PUBLIC}:${port}/`,
          file: "file:///etc/passwd",
          user: `http://a:b@pictures.example:${port}/`,
          garbage: "http://["
        }[kind ?? ""]
        return response.writeHead(302, location === undefined ? {} : { location }).end()
      }, ZONE)
      const to = (path: string) => `http://pictures.example:PORT/${path}`
      assert.strictEqual(Buffer.from((yield* get(to("hops/3"))).body).toString(), "arrived")
      assert.strictEqual(yield* reasonOf(to("hops/4")), "redirects")
      for (const path of ["inside", "literal", "file", "user"])
        assert.strictEqual(yield* reasonOf(to(path)), "address_not_public", path)
      assert.strictEqual(yield* reasonOf(to("garbage")), "redirects")
      assert.strictEqual((yield* get(to("nowhere"))).status, 302)
    })
  )

  it.live("A body is taken up to its bound, whether its length is said or not", () =>
    Effect.gen(function* () {
      const { get, reasonOf } = yield* world((request, response) => {
        const length = Number(/\d+/.exec(request.url ?? "")?.[0])
        if (request.url?.startsWith("/said") === true) response.setHeader("content-length", length)
        // Without a length the body has no end.
        response.write("x".repeat(length))
        if (request.url?.startsWith("/endless") !== true) response.end()
      }, ZONE)
      for (const kind of ["said", "unsaid"]) {
        assert.lengthOf((yield* get(`http://pictures.example:PORT/${kind}/1000`)).body, 1_000)
        assert.strictEqual(yield* reasonOf(`http://pictures.example:PORT/${kind}/1001`), "too_large")
      }
      assert.strictEqual(yield* reasonOf("http://pictures.example:PORT/endless/5000"), "too_large")
    })
  )

  it.live("Other statuses are answers without a body, and say when to come again", () =>
    Effect.gen(function* () {
      const { get } = yield* world((request, response) => {
        response.writeHead(Number(request.url?.slice(1)), { "retry-after": "30" }).end("x".repeat(5_000))
      }, ZONE)
      for (const status of [404, 429, 500, 503]) {
        const answer = yield* get(`http://pictures.example:PORT/${status}`)
        assert.deepStrictEqual([answer.status, answer.retryAfter, answer.body.length], [status, "30", 0])
      }
    })
  )

  it.live("A server that says nothing, drips, or speaks another language ends in time", () =>
    Effect.gen(function* () {
      const { reasonOf } = yield* world((request, response) => {
        if (request.url === "/drips") {
          const drip = () => void response.write(".", (error) => error ?? setImmediate(drip))
          response.writeHead(200)
          drip()
        }
      }, ZONE)
      for (const path of ["silent", "drips"])
        assert.strictEqual(
          yield* reasonOf(`http://pictures.example:PORT/${path}`, { timeoutMillis: 300, maxBytes: 1e9 }),
          "timeout",
          path
        )
      const garbage = yield* listening(createServer((socket) => socket.end("220 mail.example ESMTP\r\n")))
      const headers = yield* listening(
        createServer((socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}\r\n\r\n`))
      )
      const closing = yield* listening(createServer((socket) => socket.destroy()))
      for (const [port, reason] of [
        [garbage, "protocol"],
        [headers, "protocol"],
        [closing, "connection"]
      ] as const) {
        const other = yield* world(() => undefined, {}, [`127.0.0.1:${port}`])
        assert.strictEqual(yield* other.reasonOf(`http://127.0.0.1:${port}/`), reason)
        const overTls = port === closing ? "connection" : "tls"
        assert.strictEqual(yield* other.reasonOf(`https://127.0.0.1:${port}/`), overTls)
      }
    })
  )

  it.live("A target of the operator is reached by its address, by no other port and by no redirect", () =>
    Effect.gen(function* () {
      const port = yield* listening(createHttpServer((_, response) => response.end("inside")))
      const { get, reasonOf } = yield* world(
        (_, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
        ZONE,
        [`127.0.0.1:${port}`]
      )
      assert.strictEqual(yield* reasonOf("http://pictures.example:PORT/"), "address_not_public")
      assert.strictEqual(Buffer.from((yield* get(`http://127.0.0.1:${port}/`)).body).toString(), "inside")
      assert.strictEqual(yield* reasonOf(`http://127.0.0.1:${port + 1}/`), "address_not_public")
    })
  )

  it.live("An interrupted request ends its connection", () =>
    Effect.gen(function* () {
      let isClosed: () => void = () => undefined
      const closed = new Promise<void>((resolve) => (isClosed = resolve))
      let begun: () => void = () => undefined
      const began = new Promise<void>((resolve) => (begun = resolve))
      const { get } = yield* world((request) => {
        request.socket.on("close", isClosed)
        begun()
      }, ZONE)
      const exit = yield* Effect.exit(
        Effect.raceFirst(
          get("http://pictures.example:PORT/"),
          Effect.andThen(
            Effect.promise(() => began),
            Effect.fail("enough")
          )
        )
      )
      assert.isTrue(Exit.isFailure(exit))
      yield* Effect.promise(() => closed)
    })
  )
})
