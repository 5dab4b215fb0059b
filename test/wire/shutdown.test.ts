import { Agent, request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SERVER_LIMITS } from "../../src/bin/server/limits.ts"
import { eventually } from "../support/eventually.ts"
import { holdingPosts } from "./locks.ts"
import { started } from "./server.ts"
import { connection, get } from "./sockets.ts"

const isRefused = (port: number) =>
  connection(port).pipe(
    Effect.as(false),
    Effect.orElseSucceed(() => true),
    Effect.scoped
  )

const errors = (logs: ReadonlyArray<{ readonly level: string }>) => logs.filter((it) => it.level === "Error")

/** Less than the time that the service gives to requests in flight by default. */
const STOPPED_WITHIN_MILLIS = SERVER_LIMITS.shutdownMs - 500

describe("a service that is told to stop", () => {
  it.live("A request in flight finishes, while new connections are refused", () =>
    Effect.gen(function* () {
      const { databaseUrl, logs, origin, port, stop } = yield* started("test_wire_graceful")
      yield* holdingPosts(databaseUrl, ({ isAwaited, release }) =>
        Effect.gen(function* () {
          const asked = yield* Effect.forkChild(get(`${origin}/api/posts`))
          yield* eventually("a request that waits for the database", isAwaited)
          const stopping = yield* Effect.forkChild(stop)
          yield* eventually("the end of listening", isRefused(port))
          yield* release
          const answer = yield* Fiber.join(asked)
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(JSON.parse(answer.text).total, 0)
          assert.strictEqual(answer.headers.get("connection"), "close")
          yield* Fiber.join(stopping)
        })
      )
      assert.deepStrictEqual(errors(logs), [])
    })
  )

  it.live("A process that drains still answers, and tells load balancers to leave", () =>
    Effect.gen(function* () {
      const { origin, port, stop } = yield* started("test_wire_drain", {}, { DRAIN_SECONDS: "2" })
      assert.strictEqual((yield* get(`${origin}/health/ready`)).status, 200)
      const stopping = yield* Effect.forkChild(stop)
      const readiness = get(`${origin}/health/ready`)
      yield* eventually(
        "the end of its readiness",
        Effect.map(readiness, ({ status }) => status === 503)
      )
      assert.deepStrictEqual(JSON.parse((yield* readiness).text).failing, ["stopping"])
      const answer = yield* get(`${origin}/api/posts`)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("connection"), "close")
      yield* Fiber.join(stopping)
      assert.isTrue(yield* isRefused(port))
    })
  )

  it.live("A request that never finishes is answered in its family, and the end is bounded", () =>
    Effect.gen(function* () {
      const { databaseUrl, logs, origin, stop } = yield* started("test_wire_bounded", { shutdownMs: 300 })
      yield* holdingPosts(databaseUrl, ({ isAwaited }) =>
        Effect.gen(function* () {
          const asked = yield* Effect.forkChild(
            get(`${origin}/api/posts`, { headers: { "x-request-id": "cut" } })
          )
          yield* eventually("a request that waits for the database", isAwaited)
          const began = performance.now()
          yield* stop
          assert.isBelow(performance.now() - began, STOPPED_WITHIN_MILLIS)
          const answer = yield* Fiber.join(asked)
          assert.strictEqual(answer.status, 503)
          assert.strictEqual(answer.headers.get("x-request-id"), "cut")
          assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
          assert.strictEqual(JSON.parse(answer.text).data.code, "dependency_unavailable")
          yield* eventually(
            "the end of its query",
            Effect.map(isAwaited, (it) => !it)
          )
        })
      )
      assert.notInclude(JSON.stringify(logs), "A request crashed")
    })
  )

  it.live("Silent and half-open connections do not delay the end", () =>
    Effect.gen(function* () {
      const { port, stop } = yield* started("test_wire_half_open", { shutdownMs: 300 })
      const silent = yield* connection(port)
      const halfHeaders = yield* connection(port)
      yield* halfHeaders.write("GET / HTTP/1.1\r\nHost: x\r\n")
      const halfBody = yield* connection(port)
      yield* halfBody.write(
        "POST /api/v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{"
      )
      const kept = yield* connection(port)
      yield* kept.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* kept.received('{"status":"live"}')
      const began = performance.now()
      yield* stop
      assert.isBelow(performance.now() - began, STOPPED_WITHIN_MILLIS)
      for (const it of [silent, halfHeaders, halfBody, kept]) yield* it.closed
    })
  )

  it.live("Connections that are kept alive serve several requests, and are closed at the end", () =>
    Effect.gen(function* () {
      const { origin, stop } = yield* started("test_wire_keep_alive")
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const ports = new Set<number | undefined>()
      const ask = Effect.callback<void>((resume) => {
        const asked = request(`${origin}/health/live`, { agent }, (response) => {
          ports.add(response.socket.localPort)
          response.resume().on("end", () => resume(Effect.void))
        })
        asked.end()
      })
      yield* ask
      yield* ask
      assert.strictEqual(ports.size, 1)
      const began = performance.now()
      yield* stop
      assert.isBelow(performance.now() - began, STOPPED_WITHIN_MILLIS)
      yield* eventually(
        "the end of the connection",
        Effect.sync(() => Object.values(agent.freeSockets).flat().length === 0)
      )
      agent.destroy()
    })
  )
})
