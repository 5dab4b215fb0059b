import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { problems } from "../../schemas/platform/errors/problems.ts"
import { SERVER_LIMITS } from "../../src/bin/server/limits.ts"
import { eventually } from "../support/eventually.ts"
import { holdingPosts } from "./locks.ts"
import { started } from "./server.ts"
import { type Answer, connection, exchange, get } from "./sockets.ts"

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Asserts a problem with a request id, which the server makes before any operation sees the request. */
const assertRefused = (answer: Answer, status: number, slug: string) => {
  assert.strictEqual(answer.status, status)
  assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
  assert.match(answer.headers.get("x-request-id") ?? "", UUID)
  assert.strictEqual(answer.headers.get("connection"), "close")
  const body = JSON.parse(answer.text)
  assert.strictEqual(body.status, status)
  assert.strictEqual(body.type, `http://localhost:4020/problems/${slug}`)
  assert.strictEqual(problems[slug as keyof typeof problems].status, status)
}

const refresh = (headers: string, body: string) =>
  `POST /api/v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n${headers}\r\n\r\n${body}`

const hasNoErrors = (logs: ReadonlyArray<{ readonly level: string }>) =>
  assert.deepStrictEqual(
    logs.filter((it) => it.level === "Error" || it.level === "Fatal"),
    []
  )

describe("hostile clients on a socket", () => {
  it.live("Slow requests are refused and cut", () =>
    Effect.gen(function* () {
      const { logs, port } = yield* started("test_wire_slow", { headersMs: 300, requestMs: 600, checkMs: 50 })

      const began = performance.now()
      const slowHeaders = yield* exchange(port, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
      assertRefused(slowHeaders, 408, "request-timeout")
      assertRefused(
        yield* exchange(port, refresh("Content-Length: 100", '{"refresh')),
        408,
        "request-timeout"
      )
      assertRefused(
        yield* exchange(port, refresh("Transfer-Encoding: chunked", '5\r\n{"ref')),
        408,
        "request-timeout"
      )
      assert.isBelow(performance.now() - began, SERVER_LIMITS.requestMs)
      hasNoErrors(logs)
    })
  )

  it.live("Malformed requests are refused on a socket", () =>
    Effect.gen(function* () {
      const { logs, port } = yield* started("test_wire_malformed")
      assertRefused(yield* exchange(port, "GARBAGE\r\n\r\n"), 400, "malformed-request")
      assertRefused(yield* exchange(port, "GET / HTTP/1.1\r\nNo colon\r\n\r\n"), 400, "malformed-request")
      assertRefused(
        yield* exchange(port, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        400,
        "malformed-request"
      )
      assertRefused(
        yield* exchange(port, `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(17_000)}\r\n\r\n`),
        431,
        "headers-too-large"
      )
      assertRefused(
        yield* exchange(port, `GET /${"x".repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
        431,
        "headers-too-large"
      )
      const smuggled = refresh(
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "0\r\n\r\nGET / HTTP/1.1\r\n\r\n"
      )
      assertRefused(yield* exchange(port, smuggled), 400, "malformed-request")
      assertRefused(
        yield* exchange(port, refresh("Content-Length: 2\r\nContent-Length: 3", "{}}")),
        400,
        "malformed-request"
      )
      for (const length of ["abc", "-1", "1e3", "99999999999999999999999"]) {
        const refused = yield* exchange(port, refresh(`Content-Length: ${length}`, "{}"))
        assertRefused(refused, 411, "length-required")
      }
      hasNoErrors(logs)
    })
  )

  it.live("A target that is not a path, nor a URL of one, is refused", () =>
    Effect.gen(function* () {
      const { logs, port } = yield* started("test_wire_targets")
      const ask = (target: string) =>
        exchange(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      for (const target of [
        "http://a:99999/auth/v1/verify?type=email_change&token=x",
        "http://[::1/health/live",
        "https://a:b/",
        "http://",
        "ftp://x/health/live",
        "health/live",
        "*"
      ]) {
        const answer = yield* ask(target)
        assert.strictEqual(answer.status, 400, target)
        assert.strictEqual(JSON.parse(answer.text).type, "http://localhost:4020/problems/malformed-request")
      }
      assert.strictEqual((yield* ask("http://a:80/health/live")).status, 200)
      hasNoErrors(logs)
    })
  )

  it.live("A client that leaves in the middle of its request is not a failure", () =>
    Effect.gen(function* () {
      const { logs, origin, port } = yield* started("test_wire_abort")
      for (const half of [
        refresh("Content-Length: 100", '{"refresh'),
        refresh("Transfer-Encoding: chunked", "5\r\n{")
      ]) {
        const before = logs.length
        const { socket, write } = yield* connection(port)
        yield* write(half)
        // The server answers only what it has read, so the request before is being read by then.
        yield* get(origin)
        socket.resetAndDestroy()
        yield* eventually(
          "the end of the request in the log",
          Effect.sync(() =>
            logs.slice(before).some((it) => it.message === "request" && it.annotations["method"] === "POST")
          )
        )
      }
      hasNoErrors(logs)
      const answer = yield* get(origin)
      assert.strictEqual(answer.status, 200)
    })
  )

  it.live("A client that does not wait for its answer frees what it was waiting for", () =>
    Effect.gen(function* () {
      const { databaseUrl, logs, port } = yield* started("test_wire_impatient")
      yield* holdingPosts(databaseUrl, ({ isAwaited }) =>
        Effect.gen(function* () {
          const { socket, write } = yield* connection(port)
          yield* write("GET /api/posts HTTP/1.1\r\nHost: x\r\nX-Request-Id: impatient\r\n\r\n")
          yield* eventually("a request that waits for the database", isAwaited)
          socket.destroy()
          yield* eventually(
            "the end of its query",
            Effect.map(isAwaited, (it) => !it)
          )
        })
      )
      const lines = logs.filter((it) => it.annotations["requestId"] === "impatient")
      assert.deepStrictEqual(
        lines.map((it) => it.annotations["status"]),
        [499]
      )
      hasNoErrors(logs)
    })
  )

  it.live("Unusual requests are answered as what they are", () =>
    Effect.gen(function* () {
      const { logs, port } = yield* started("test_wire_unusual")
      const ask = (line: string, headers = "") =>
        exchange(port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`)

      for (const path of [
        "/api/posts/%ZZ",
        "/api/../api/v1",
        "/%00",
        "/api/./posts",
        "http://other.test/nowhere"
      ]) {
        const answer = yield* ask(`GET ${path}`)
        assert.strictEqual(answer.status, 404, path)
        const family = path === "/api/posts/%ZZ" ? "application/json" : "application/problem+json"
        assert.strictEqual(answer.headers.get("content-type"), family)
        assert.match(answer.headers.get("x-request-id") ?? "", UUID)
      }
      assert.strictEqual((yield* ask("GET http://other.test/api/categories")).status, 200)
      assert.strictEqual((yield* ask("TRACE /api/posts")).status, 405)
      const twice = yield* ask("GET /", "X-Request-Id: a\r\nX-Request-Id: b\r\n")
      assert.match(twice.headers.get("x-request-id") ?? "", UUID)

      const upgrade = yield* exchange(
        port,
        "GET /api/categories HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n"
      )
      assert.strictEqual(upgrade.status, 200)

      const expecting = yield* exchange(port, refresh("Content-Length: 2\r\nExpect: 100-continue", "{}"))
      assert.include([100, 422], expecting.status)
      const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`
      const large = yield* exchange(
        port,
        refresh("Transfer-Encoding: chunked", chunk.repeat(17) + "0\r\n\r\n")
      )
      assert.strictEqual(large.status, 413)
      hasNoErrors(logs)
    })
  )
})
