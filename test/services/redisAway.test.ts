import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { certificate, certificateKey } from "../layers/mail/certificate.ts"
import { walletOf } from "../support/actors/owner.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"
import { run } from "../support/processes.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"
import { redisServer } from "./redisServer.ts"

const post = (url: string, body: object) =>
  get(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

const challenge = (origin: string) =>
  post(`${origin}/api/v1/auth/nano/challenge`, { account: walletOf(1).account })

const isOpen = (origin: string) => Effect.map(challenge(origin), ({ status }) => status === 201)

/** Returns the duration in milliseconds and the result. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const answer = yield* effect
    return { answer, millis: (yield* Clock.currentTimeMillis) - began }
  })

const circuit = (origin: string) =>
  Effect.map(get(`${origin}/metrics`), ({ text }) => {
    const [, state] = /^rate_limit_circuit_state(?:\{[^}]*\})? (\d)$/m.exec(text) ?? []
    return state
  })

const assertClosed = Effect.fnUntraced(function* (origin: string) {
  const { headers, status, text } = yield* challenge(origin)
  assert.strictEqual(status, 503)
  assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/)
  assert.match(JSON.parse(text).type, /\/problems\/dependency-unavailable$/)
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
})

/** Asserts that operations without closed limits still answer. */
const assertOpen = Effect.fnUntraced(function* (origin: string) {
  const reads = ["/api/posts", "/api/categories", "/.well-known/jwks.json", "/health/ready", "/health/live"]
  for (const path of reads) assert.strictEqual((yield* get(`${origin}${path}`)).status, 200, path)
  const refresh = yield* post(`${origin}/api/v1/auth/refresh`, { refreshToken: "no" })
  assert.strictEqual(refresh.status, 401)
  assert.isNull(refresh.headers.get("ratelimit"))
})

const told = (logs: ReadonlyArray<{ readonly message: unknown; readonly level: string }>) =>
  logs
    .filter(({ message }) => String(message).startsWith("Redis is"))
    .map(({ level, message }) => [level, message])

const AWAY = ["Warn", "Redis is unavailable: requests are not counted"]
const BACK = ["Info", "Redis is available again: requests are counted"]

describe("an unavailable Redis", () => {
  it.live("A hanging Redis closes only sign-in, costs few requests 250 ms, and is used again later", () =>
    Effect.gen(function* () {
      const redis = yield* redisServer()
      yield* redis.start
      const { logs, origin } = yield* started(
        "services_redis_hangs",
        {},
        {
          REDIS_URL: `redis://127.0.0.1:${redis.port}`
        }
      )
      yield* eventually("sign-in", isOpen(origin))
      assert.strictEqual(yield* circuit(origin), "0")
      const before = told(logs).length

      yield* redis.hang
      const first = yield* timed(assertClosed(origin))
      assert.isAbove(first.millis, 200)
      // Sent at once; the breaker opens meanwhile.
      const many = yield* timed(
        Effect.all(
          Array.from({ length: 20 }, () => assertClosed(origin)),
          { concurrency: 20 }
        )
      )
      assert.isBelow(many.millis, 1_500)
      assert.strictEqual(yield* circuit(origin), "2")
      // An open circuit lets one request wait every two seconds.
      const slow: Array<number> = []
      for (let i = 0; i < 60; i++) {
        const { millis } = yield* timed(assertClosed(origin))
        if (millis > 200) slow.push(millis)
      }
      assert.isAtMost(slow.length, 2, slow.join(" "))
      yield* assertOpen(origin)

      yield* redis.resume
      yield* eventually("sign-in again", isOpen(origin))
      assert.strictEqual(yield* circuit(origin), "0")
      assert.deepStrictEqual(told(logs).slice(before), [AWAY, BACK])
    }).pipe(Effect.scoped)
  )

  it.live("A killed Redis closes only sign-in, until another takes its place", () =>
    Effect.gen(function* () {
      const redis = yield* redisServer()
      yield* redis.start
      const { logs, origin } = yield* started(
        "services_redis_killed",
        {},
        {
          REDIS_URL: `redis://127.0.0.1:${redis.port}`
        }
      )
      yield* eventually("sign-in", isOpen(origin))
      const before = told(logs).length
      for (let round = 0; round < 2; round++) {
        yield* redis.kill
        for (let i = 0; i < 5; i++) {
          const { millis } = yield* timed(assertClosed(origin))
          assert.isBelow(millis, 200)
        }
        yield* assertOpen(origin)
        yield* redis.start
        yield* eventually("sign-in again", isOpen(origin))
      }
      assert.deepStrictEqual(told(logs).slice(before), [AWAY, BACK, AWAY, BACK])
    }).pipe(Effect.scoped)
  )

  it.live("A missing Redis does not stop the service from starting", () =>
    Effect.gen(function* () {
      const redis = yield* redisServer()
      const { logs, origin } = yield* started(
        "services_redis_late",
        {},
        {
          REDIS_URL: `redis://press:hunter2@127.0.0.1:${redis.port}`
        }
      )
      yield* assertClosed(origin)
      yield* assertOpen(origin)
      yield* eventually(
        "the log",
        Effect.sync(() => told(logs).length > 0)
      )
      assert.deepStrictEqual(told(logs), [AWAY])
      assert.notInclude(JSON.stringify(logs), "hunter2")
      assert.notInclude(JSON.stringify(logs), "redis://")
    }).pipe(Effect.scoped)
  )

  it.live("A hanging Redis delays neither the start nor the stop", () =>
    Effect.gen(function* () {
      const redis = yield* redisServer()
      yield* redis.start
      yield* redis.hang
      const REDIS_URL = `redis://127.0.0.1:${redis.port}`
      const late = yield* started("services_redis_hangs_at_start", {}, { REDIS_URL })
      yield* assertClosed(late.origin)
      yield* assertOpen(late.origin)
      assert.isBelow((yield* timed(late.stop)).millis, 2_000)

      yield* redis.resume
      const { origin, stop } = yield* started("services_redis_hangs_at_end", {}, { REDIS_URL })
      yield* eventually("sign-in", isOpen(origin))
      yield* redis.hang
      yield* assertClosed(origin)
      assert.isBelow((yield* timed(stop)).millis, 2_000)
    }).pipe(Effect.scoped)
  )

  it.live("A Redis is reported with its own message and without a password", () =>
    Effect.gen(function* () {
      const redis = yield* redisServer((port) => ["--port", `${port}`, "--requirepass", "hunter2"])
      yield* redis.start
      const { logs, origin } = yield* started(
        "services_redis_refuses",
        {},
        { REDIS_URL: `redis://press:hunter3@127.0.0.1:${redis.port}` }
      )
      yield* assertClosed(origin)
      yield* eventually(
        "the log",
        Effect.sync(() => told(logs).length > 0)
      )
      const line = logs.find(({ message }) => message === AWAY[1])
      assert.match(String(line?.annotations["reason"]), /^WRONGPASS/)
      assert.notInclude(JSON.stringify(logs), "hunter")
    }).pipe(Effect.scoped)
  )

  it.live("A Redis that refuses the login is unavailable, and one with TLS and a password works", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const files = { certificate: join(directory, "cert.pem"), key: join(directory, "key.pem") }
      writeFileSync(files.certificate, certificate)
      writeFileSync(files.key, certificateKey)
      chmodSync(files.key, 0o644)
      const redis = yield* redisServer((port) =>
        Object.entries({
          "--port": "0",
          "--tls-port": `${port}`,
          "--tls-auth-clients": "no",
          "--tls-cert-file": files.certificate,
          "--tls-key-file": files.key,
          "--tls-ca-cert-file": files.certificate,
          "--requirepass": "hunter2@"
        }).flat()
      )
      yield* redis.start
      const DATABASE_URL = Redacted.value(yield* freshDatabase("services_redis_tls"))
      const serving = Effect.fnUntraced(function* (password: string) {
        const program = yield* run("../../src/bin/pennypress.ts", ["serve"], {
          DATABASE_URL,
          NODE_EXTRA_CA_CERTS: files.certificate,
          REDIS_URL: `rediss://:${password}@localhost:${redis.port}`,
          SERVER_SECRET: "a secret for the tests of services alone",
          PENNYPRESS_DATA: directory,
          PORT: "0"
        })
        const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* program.line) ?? []
        return origin
      })
      yield* assertClosed(yield* serving("wrong"))
      const origin = yield* serving("hunter2%40")
      yield* eventually("sign-in", isOpen(origin))
      assert.strictEqual((yield* challenge(origin)).headers.get("ratelimit-policy"), '"sign-in";q=60;w=60')
    }).pipe(Effect.scoped)
  )
})
