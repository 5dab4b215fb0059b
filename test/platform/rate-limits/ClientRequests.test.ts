import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as RateLimiterStoreMemory from "../../../layers/rate-limits/RateLimiterStoreMemory.ts"
import { ClientRequests } from "../../../src/platform/rate-limits/ClientRequests.ts"
import { RateLimits } from "../../../src/platform/rate-limits/RateLimits.ts"
import { DAY_MILLIS, now } from "../../../src/platform/time/now.ts"
import { database } from "../../support/Database.ts"
import { LOCAL, service } from "../../support/TestClient.ts"
import { awayStore } from "./awayStore.ts"
import { assertLimited, send } from "./limited.ts"

/** Makes the counts over a store that remembers how often it was asked. */
const counting = Effect.gen(function* () {
  const store = RateLimiterStoreMemory.make()
  let questions = 0
  const asked = RateLimiter.RateLimiterStore.of({
    ...store,
    fixedWindow: (options) => {
      questions++
      return store.fixedWindow(options)
    }
  })
  const { count } = yield* ClientRequests.pipe(
    Effect.provide(
      Layer.fresh(ClientRequests.layer).pipe(
        Layer.provide(Layer.fresh(RateLimits.layer)),
        Layer.provide(Layer.succeed(RateLimiter.RateLimiterStore, asked))
      )
    )
  )
  const ask = Effect.fnUntraced(function* (client: string) {
    return yield* Effect.result(count(client, (yield* now).getTime()) ?? Effect.void)
  })
  return { ask, questions: () => questions }
})

describe("the requests of a client", () => {
  it.effect("A client has 12,000 requests a minute, for which the counters are asked 120 times", () =>
    Effect.gen(function* () {
      const { ask, questions } = yield* counting
      for (let request = 0; request < 12_000; request++) assert.isTrue(Result.isSuccess(yield* ask("a")))
      assert.strictEqual(questions(), 120)
      const rest = yield* Effect.replicateEffect(ask("a"), 100)
      const refused = rest.filter(Result.isFailure)
      assert.deepStrictEqual(
        refused.map(({ failure: { limit, retryAfterSeconds } }) => [limit, retryAfterSeconds]),
        [["requests", 60]]
      )
      for (let request = 0; request < 1_000; request++) assert.isTrue(Result.isFailure(yield* ask("a")))
      assert.strictEqual(questions(), 121)
      assert.isTrue(Result.isSuccess(yield* ask("b")))
      yield* TestClock.adjust("60 seconds")
      assert.isTrue(Result.isSuccess(yield* ask("a")))
    })
  )

  it.effect("A client that sends a request now and then never asks the counters", () =>
    Effect.gen(function* () {
      const { ask, questions } = yield* counting
      for (let request = 0; request < 1_000; request++) {
        yield* TestClock.adjust("1 second")
        yield* ask("a")
      }
      assert.strictEqual(questions(), 0)
    })
  )

  it.effect("A client that was refused sends again after a clock stepped back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DAY_MILLIS)
      const { ask } = yield* counting
      for (let request = 0; request < 12_100; request++) yield* ask("a")
      assert.isTrue(Result.isFailure(yield* ask("a")))
      for (const earlier of [0, -DAY_MILLIS]) {
        yield* TestClock.setTime(earlier)
        assert.isTrue(Result.isSuccess(yield* ask("a")))
      }
    })
  )

  it.effect("More clients than are remembered do not make the limit of another shorter", () =>
    Effect.gen(function* () {
      const { ask } = yield* counting
      yield* ask("a")
      for (let client = 0; client < 50_001; client++) yield* ask(`other ${client}`)
      for (let request = 0; request < 12_000; request++) assert.isTrue(Result.isSuccess(yield* ask("a")))
    })
  )

  it.effect("Unavailable counters let requests through", () =>
    Effect.gen(function* () {
      const { count } = yield* ClientRequests
      for (let request = 0; request < 12_101; request++) {
        const counted = Result.isSuccess(yield* Effect.result(count("a", 0) ?? Effect.void))
        assert.isTrue(counted)
      }
    }).pipe(
      Effect.provide(
        Layer.fresh(ClientRequests.layer).pipe(
          Layer.provide(Layer.fresh(RateLimits.layer)),
          Layer.provide(awayStore)
        )
      )
    )
  )
})

// Twelve requests a minute.
layer(service(database("test_limits_requests"), 1, { rateLimitFactor: 0.001 }))("all routes", (it) => {
  it.effect(
    "A client that sends too many requests is refused on every route, in the family of the route",
    () =>
      Effect.gen(function* () {
        const from = "192.0.2.1"
        for (const [method, path, status] of [
          ["GET", "/nowhere", 404],
          ["POST", "/nowhere", 404],
          ["GET", "/%ZZ", 404],
          ["GET", "/api/categories/", 404],
          ["PROPFIND", "/api/posts", 405],
          ["OPTIONS", "/api/posts", 204],
          ["GET", "/problems/forbidden", 200],
          ["GET", "/assets/none", 404],
          ["GET", "/openapi.json", 200],
          ["HEAD", "/openapi.json", 200],
          ["GET", "/metrics", 404],
          ["DELETE", "/mcp", 405]
        ] as const)
          assert.strictEqual((yield* send(method, path, { from })).status, status, `${method} ${path}`)
        for (const [method, path, family] of [
          ["GET", "/nowhere", "problem"],
          ["POST", "/api/v1/posts", "problem"],
          ["GET", "/api/categories", "json"],
          ["PROPFIND", "/api/posts", "json"],
          ["GET", "/@ada/first-post", "page"],
          ["POST", "/mcp", "problem"],
          ["GET", "/openapi.json", "problem"],
          ["GET", "/health/ready", "problem"]
        ] as const)
          assertLimited(yield* send(method, path, { from }), family, "requests", 60)
        for (let request = 0; request < 20; request++) {
          for (const path of ["/health/live", "/health/ready", "/health/ready?for=reads", "/metrics"])
            assert.strictEqual((yield* send("GET", path, LOCAL)).status, 200, path)
        }
        assert.strictEqual((yield* send("GET", "/nowhere", { from: "192.0.2.2" })).status, 404)
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual((yield* send("GET", "/nowhere", { from })).status, 404)
      })
  )
})
