import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorOf, errorsOf, refusalOf } from "../../support/actors/author.ts"
import { completePost } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const named = (key: string) => ({ "idempotency-key": key })

layer(service(database("test_posts_creation_key")))("create idempotency (4.3.6)", (it) => {
  it.effect("An exact replay is 201 with x-idempotency-replay and the same Post", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const first = yield* author.create(completePost, named("one"))
      assert.isNull(first.headers.get("x-idempotency-replay"))
      const members = Object.entries(completePost).toReversed()
      const again = yield* author.create(Object.fromEntries(members), named(" one "))
      assert.strictEqual(again.status, 201)
      assert.strictEqual(again.headers.get("x-idempotency-replay"), "true")
      assert.deepStrictEqual(again.body, first.body)
      assert.strictEqual((yield* author.send("GET", "")).body.total, 1)
    })
  )

  it.effect("A replay answers the current saved Post", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { body } = yield* author.create(completePost, named("one"))
      const patched = yield* author.patch(body.id, { title: "Changed", slug: "changed" })
      assert.deepStrictEqual((yield* author.create(completePost, named("one"))).body, patched.body)
      yield* author.publish(body.id)
      assert.strictEqual((yield* author.create(completePost, named("one"))).body.status, "published")
    })
  )

  it.effect("A replay is answered before category and slug checks", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const chosen = { ...completePost, slug: "mine" }
      const { body } = yield* author.create(chosen, named("one"))
      const again = yield* author.create(chosen, named("one"))
      assert.deepStrictEqual([again.status, again.body.id], [201, body.id])
      const other = yield* author.create({ ...chosen, primaryCategoryId: 99 }, named("one"))
      assert.deepStrictEqual(refusalOf(other), [409, "idempotency-mismatch"])
    })
  )

  it.effect("A changed intent is 409 idempotency-mismatch, and the body is checked first", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      yield* author.create(completePost, named("one"))
      for (const change of [{ title: "x" }, { commentsEnabled: true }, { description: undefined }]) {
        const changed = yield* author.create({ ...completePost, ...change }, named("one"))
        assert.deepStrictEqual(refusalOf(changed), [409, "idempotency-mismatch"])
      }
      const invalid = yield* author.create({ ...completePost, title: 1 }, named("one"))
      assert.deepStrictEqual(refusalOf(invalid), [422, "validation", "title invalid"])
    })
  )

  it.effect("The replay of a deleted Post is 410 resource-gone", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const { body } = yield* author.create(completePost, named("one"))
      yield* author.remove(body.id)
      assert.deepStrictEqual(refusalOf(yield* author.create(completePost, named("one"))), [
        410,
        "resource-gone"
      ])
      const changed = yield* author.create({ ...completePost, title: "x" }, named("one"))
      assert.deepStrictEqual(refusalOf(changed), [409, "idempotency-mismatch"])
    })
  )

  it.effect("A refused creation frees its key", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      yield* author.draft({ slug: "taken" })
      assert.strictEqual((yield* author.create({ ...completePost, slug: "taken" }, named("one"))).status, 409)
      assert.strictEqual(
        (yield* author.create({ ...completePost, primaryCategoryId: 99 }, named("one"))).status,
        422
      )
      const created = yield* author.create(completePost, named("one"))
      assert.strictEqual(created.status, 201)
      assert.isNull(created.headers.get("x-idempotency-replay"))
    })
  )

  it.effect("A key names one creation for 24 hours", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const first = (yield* author.create(completePost, named("one"))).body.id
      yield* TestClock.adjust("24 hours")
      yield* TestClock.adjust("-1 millis")
      assert.strictEqual((yield* author.create(completePost, named("one"))).body.id, first)
      yield* TestClock.adjust("1 millis")
      const later = yield* author.create({ ...completePost, title: "Another" }, named("one"))
      assert.strictEqual(later.status, 201)
      assert.notStrictEqual(later.body.id, first)
    })
  )

  it.effect("A key is scoped to the Publishing key", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(8)
      const issued = yield* client.send("POST", "/api/v1/api-keys", { token: author.accessToken, body: {} })
      const request = { body: completePost, headers: named("one") }
      const first = yield* client.send("POST", "/api/v1/posts", { token: author.key, ...request })
      const second = yield* client.send("POST", "/api/v1/posts", { token: issued.body.key, ...request })
      assert.deepStrictEqual([first.status, second.status], [201, 201])
      assert.notStrictEqual(first.body.id, second.body.id)
    })
  )

  it.effect("A key has 1 to 255 characters other than white space", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      assert.strictEqual((yield* author.create(completePost, named("k"))).status, 201)
      assert.strictEqual((yield* author.create(completePost, named("k".repeat(255)))).status, 201)
      const refused = [
        ["k".repeat(256), "too_long"],
        ["", "too_short"],
        ["   ", "too_short"],
        ["a b", "invalid"],
        ["a\tb", "invalid"]
      ] as const
      for (const [key, code] of refused) {
        const answer = yield* author.create(completePost, named(key))
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual(errorsOf(answer), [`Idempotency-Key ${code}`], key)
      }
    })
  )
})
