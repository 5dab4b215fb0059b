import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import * as RateLimiterStoreRedis from "../../layers/rate-limits/RateLimiterStoreRedis.ts"
import { RateLimits } from "../../src/platform/rate-limits/RateLimits.ts"
import { storeSuite } from "../platform/rate-limits/storeSuite.ts"
import { walletOf } from "../support/actors/owner.ts"
import { freshDatabase } from "../support/Database.ts"
import { eventually } from "../support/eventually.ts"
import { run } from "../support/processes.ts"
import { get } from "../wire/sockets.ts"
import { command, redisServer } from "./redisServer.ts"

const server = process.env["SERVICES_REDIS_URL"]
const url = server ?? "redis://127.0.0.1:1"

/** Makes names that other tests on the same server do not use. */
let names = 0
const fresh = () => `services-${process.pid}-${names++}`

const window = (key: string, limit: number) => ({ key, tokens: 1, limit, refillRate: Duration.minutes(1) })

/** Waits until the store is connected. */
const connected = (to: string) =>
  Layer.effect(
    RateLimiter.RateLimiterStore,
    Effect.gen(function* () {
      const store = yield* RateLimiter.RateLimiterStore
      const asked = store.fixedWindow({ ...window("connected", 1), tokens: 0 })
      yield* eventually("the connection to Redis", Effect.isSuccess(asked))
      return store
    })
  ).pipe(Layer.provide(Layer.fresh(RateLimiterStoreRedis.layer(Redacted.make(to)))))

const count = (store: RateLimiter.RateLimiterStore["Service"], key: string) =>
  Effect.map(store.fixedWindow(window(key, 1_000)), ([count]) => count)

/** Runs `pennypress serve` over this Redis, as one process of several. */
const serving = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const program = yield* run("../../src/bin/pennypress.ts", ["serve"], {
    SERVER_SECRET: "a secret for the tests of services alone",
    LOG_FORMAT: "json",
    PORT: "0",
    ...env
  })
  const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* program.line) ?? []
  return { ...program, origin }
})

const challenge = (origin: string) =>
  get(`${origin}/api/v1/auth/nano/challenge`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ account: walletOf(1).account })
  })

describe("Redis", () => {
  it("A Redis is configured for these tests", () =>
    assert.isDefined(server, "SERVICES_REDIS_URL is missing: .ci/run sets it"))

  storeSuite(fresh(), connected(url), {
    it: it.live,
    pass: (millis) => Effect.sleep(millis),
    lateMillis: 300
  })

  // By the clock of tests, so that no request is given up on a busy machine.
  it.effect("Two assemblies share one limit exactly", () =>
    Effect.gen(function* () {
      const make = Effect.map(
        Layer.build(Layer.fresh(RateLimits.layer).pipe(Layer.provide(connected(url)))),
        (built) => Context.get(built, RateLimits)
      )
      const both = yield* Effect.all([make, make])
      const of = fresh()
      const asked = Array.from({ length: 400 }, (_, i) =>
        Effect.isSuccess(both[i % 2 === 0 ? 0 : 1].consume("account", of))
      )
      const passed = yield* Effect.all(asked, { concurrency: 100 })
      assert.lengthOf(
        passed.filter((it) => it),
        240
      )
      const mails = Array.from({ length: 40 }, (_, i) =>
        Effect.isSuccess(both[i % 2 === 0 ? 0 : 1].consume("mailbox-hour", of))
      )
      const sent = yield* Effect.all(mails, { concurrency: "unbounded" })
      assert.lengthOf(
        sent.filter((it) => it),
        5
      )
    })
  )

  it.live("Two processes share one limit exactly, and Redis keeps no personal data", () =>
    Effect.gen(function* () {
      const redis = yield* redisServer()
      yield* redis.start
      const REDIS_URL = `redis://127.0.0.1:${redis.port}/1`
      const DATABASE_URL = Redacted.value(yield* freshDatabase("services_redis"))
      const processes = yield* Effect.all(
        [serving({ REDIS_URL, DATABASE_URL }), serving({ REDIS_URL, DATABASE_URL })],
        { concurrency: 2 }
      )
      // The connection is made in parallel with the start; until then, sign-in is closed.
      for (const { origin } of processes) {
        const isOpen = Effect.map(challenge(origin), ({ status }) => status === 201)
        yield* eventually("sign-in", isOpen)
      }
      yield* command(REDIS_URL, "FLUSHALL")
      const asked = Array.from({ length: 100 }, (_, i) => challenge(processes[i % 2 === 0 ? 0 : 1].origin))
      const answers = yield* Effect.all(asked, { concurrency: 4 })
      const answered = (status: number) => answers.filter((it) => it.status === status).length
      // On a busy machine a count may take longer than a request waits: it is a 503, counted or not.
      const late = answered(503)
      assert.isAtMost(late, 5)
      assert.strictEqual(answered(201) + answered(429) + late, 100)
      assert.isAtMost(answered(201), 60)
      assert.isAtLeast(answered(201), 60 - late)
      assert.isAtMost(answered(429), 40)
      const keys = yield* command<ReadonlyArray<string>>(REDIS_URL, "KEYS", "*")
      assert.lengthOf(keys, 1)
      assert.match(keys[0] ?? "", /^pennypress:limit:sign-in:[0-9a-f]{64}$/)
    }).pipe(Effect.scoped)
  )

  it.live("A Redis that lost its scripts or all of its data goes on counting", () =>
    Effect.gen(function* () {
      const redis = yield* redisServer()
      yield* redis.start
      const to = `redis://127.0.0.1:${redis.port}`
      const built = yield* Layer.build(connected(to))
      const store = Context.get(built, RateLimiter.RateLimiterStore)
      assert.strictEqual(yield* count(store, "key"), 1)
      yield* command(to, "SCRIPT", "FLUSH")
      assert.strictEqual(yield* count(store, "key"), 2)
      yield* redis.kill
      yield* redis.start
      yield* eventually("Redis counts", Effect.isSuccess(count(store, "other")))
      assert.strictEqual(yield* count(store, "key"), 1)
    }).pipe(Effect.scoped)
  )
})
