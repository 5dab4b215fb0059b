import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { publisher } from "../../support/actors/owner.ts"
import { assertLimited, assertTold, limited, send, statuses, times } from "./limited.ts"

layer(limited("test_limits_creation"))("new Posts (spec 4.3.6)", (it) => {
  const body = { title: "On pennies", freeContentMarkdown: "A penny." }
  const create = (token: string, key?: string, draft: object = body) =>
    send("POST", "/api/v1/posts", {
      token,
      body: draft,
      headers: key === undefined ? {} : { "idempotency-key": key }
    })

  it.effect("A key makes 120 new Posts a minute, and exact replays are not counted", () =>
    Effect.gen(function* () {
      const { accessToken, key } = yield* publisher(1)
      const policy = '"post-creation";q=120;w=60'
      const first = yield* create(key, "first")
      assertTold(first, policy, '"post-creation";r=119;t=1')
      for (let i = 0; i < 10; i++) {
        const replayed = yield* create(key, "first")
        assert.strictEqual(replayed.status, 201)
        assert.strictEqual(replayed.headers.get("x-idempotency-replay"), "true")
      }
      assertTold(yield* create(key), policy, '"post-creation";r=118;t=1')
      // A request that was counted and then refused stays counted, and its answer reports it.
      const unknown = yield* create(key, undefined, { ...body, primaryCategoryId: 999 })
      assert.strictEqual(unknown.status, 422)
      assertTold(unknown, policy, '"post-creation";r=117;t=2')
      // A body that is not a draft is refused before the limit.
      const invalid = yield* create(key, undefined, { title: "Nothing" })
      assert.strictEqual(invalid.status, 422)
      assert.isNull(invalid.headers.get("ratelimit"))
      assert.deepStrictEqual(statuses(yield* times(117, create(key))), [201])

      assertLimited(yield* create(key), "problem", "post-creation", 60)
      assertLimited(yield* create(key, "second"), "problem", "post-creation", 60)
      const replayed = yield* create(key, "first")
      assert.strictEqual(replayed.status, 201)
      assert.strictEqual(replayed.headers.get("x-idempotency-replay"), "true")
      assert.strictEqual(replayed.body.id, first.body.id)
      const changed = yield* create(key, "first", { ...body, title: "On pounds" })
      assert.strictEqual(changed.status, 409)

      const other = yield* send("POST", "/api/v1/api-keys", { token: accessToken, body: {} })
      assert.strictEqual((yield* create(other.body.key)).status, 201)
      assert.strictEqual((yield* send("GET", "/api/v1/posts", { token: key })).status, 200)
      yield* TestClock.adjust("1 minute")
      assertTold(yield* create(key, "second"), policy, '"post-creation";r=119;t=1')
    })
  )

  it.effect("A name that is free again makes a new Post, which the limit counts", () =>
    Effect.gen(function* () {
      const { key } = yield* publisher(2)
      yield* create(key, "daily")
      yield* TestClock.adjust("24 hours")
      yield* times(120, create(key))
      assertLimited(yield* create(key, "daily"), "problem", "post-creation", 60)
      yield* TestClock.adjust("1 minute")
      const created = yield* create(key, "daily")
      assert.strictEqual(created.status, 201)
      assert.isNull(created.headers.get("x-idempotency-replay"))
    })
  )

  it.effect("Of many concurrent requests, exactly the limit is created", () =>
    Effect.gen(function* () {
      const { key } = yield* publisher(3)
      const answers = yield* Effect.all(
        Array.from({ length: 150 }, (_, i) => create(key, i % 2 === 0 ? `name-${i}` : undefined)),
        { concurrency: 20 }
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        120
      )
      assert.deepStrictEqual(statuses(answers).toSorted(), [201, 429])
    })
  )
})
