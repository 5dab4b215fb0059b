import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Result } from "effect"
import { Dns, NetAddress } from "effect/net"
import * as OutsideHttpUndici from "../../../layers/outside-http/OutsideHttpUndici.ts"
import { OutsideHttp, type OutsideRequest } from "../../../src/platform/ports/OutsideHttp.ts"
import { listening } from "../../support/listening.ts"

/** Plays an address of the public internet. */
const PUBLIC = "127.0.0.1"
/** Plays a private one. */
const PRIVATE = "127.0.0.2"

type Zone = Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>

/** Names with the addresses of each look-up in turn; the last ones stay. */
const resolverOf = (zone: Zone) => {
  const asked: Array<string> = []
  const resolve = (name: string) =>
    Effect.sync(() => {
      const turn = asked.filter((it) => it === name).length
      asked.push(name)
      const answers = zone[name] ?? []
      return (answers[turn] ?? answers.at(-1) ?? []).map((address) =>
        Dns.makeRecordUnsafe("A", { address: Result.getOrThrow(NetAddress.ipv4FromString(address)) })
      )
    })
  const dns = Dns.make({
    lookup: () => Effect.succeed([]),
    resolve: (name, type) => (type === "A" ? resolve(name) : Effect.succeed([]))
  })
  return { asked, layer: Layer.succeed(Dns.Dns, dns) }
}

const world = Effect.fnUntraced(function* (
  listener: RequestListener,
  zone: Zone,
  named: ReadonlyArray<string> = []
) {
  const port = yield* listening(createHttpServer(listener))
  const { asked, layer } = resolverOf(zone)
  const context = yield* Layer.build(
    Layer.provide(
      OutsideHttpUndici.layer({
        privateTargets: { named, loopbackBut: undefined },
        isPublic: (address) => NetAddress.formatIp(address) === PUBLIC,
        ports: [port]
      }),
      layer
    )
  )
  const outside = Context.get(context, OutsideHttp)
  const get = (url: string, options: Partial<OutsideRequest> = {}) =>
    outside.get({
      url: url.replace("PORT", String(port)),
      userAgent: "Test/1",
      maxBytes: 1_000,
      timeoutMillis: 20_000,
      maxRedirects: 3,
      ...options
    })
  const reasonOf = (url: string, options?: Partial<OutsideRequest>) =>
    Effect.map(Effect.flip(get(url, options)), ({ reason }) => reason)
  return { asked, get, port, reasonOf }
})

const ZONE: Zone = { "pictures.example": [[PUBLIC]], "inside.example": [[PRIVATE]] }

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
      for (const port of [garbage, headers, closing]) {
        const other = yield* world(() => undefined, {}, [`127.0.0.1:${port}`])
        for (const scheme of ["http", "https"])
          assert.strictEqual(yield* other.reasonOf(`${scheme}://127.0.0.1:${port}/`), "connection")
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
