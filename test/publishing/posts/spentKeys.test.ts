import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

layer(service(database("test_posts_spent_keys")))(
  "an Idempotency-Key with an answer that is no longer true",
  (it) => {
    it.effect("A key of a publication is refused after the Post was unpublished or published again", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const { id } = yield* author.draft()
        assert.strictEqual((yield* author.publish(id, "one")).status, 200)
        assert.strictEqual((yield* author.publish(id, "one")).status, 200)
        yield* author.unpublish(id)
        const spent = yield* author.publish(id, "one")
        assert.deepStrictEqual(refusalOf(spent), [409, "idempotency-key-spent"])
        assert.strictEqual(
          spent.body.detail,
          "This key published the Post, which was unpublished since: send a new key"
        )
        assert.strictEqual((yield* author.read(id)).body.status, "draft")
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* author.publish(id, "two")).status, 200)
        assert.strictEqual((yield* author.publish(id, "two")).status, 200)
        assert.deepStrictEqual(refusalOf(yield* author.publish(id, "one")), [409, "idempotency-key-spent"])
      })
    )

    it.effect("A key of an unpublication is refused after the Post was published again", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(2)
        const { id } = yield* author.published()
        const down = { "idempotency-key": "down" }
        assert.strictEqual((yield* author.unpublish(id, down)).status, 200)
        assert.strictEqual((yield* author.unpublish(id, down)).status, 200)
        assert.strictEqual((yield* author.publish(id, "again")).status, 200)
        const spent = yield* author.unpublish(id, down)
        assert.deepStrictEqual(refusalOf(spent), [409, "idempotency-key-spent"])
        assert.strictEqual(
          spent.body.detail,
          "This key unpublished the Post, which was published since: send a new key"
        )
        assert.strictEqual((yield* author.read(id)).body.status, "published")
      })
    )

    it.effect("A key is answered with 404 after the Post was deleted", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(3)
        const { id } = yield* author.published()
        yield* author.unpublish(id, { "idempotency-key": "down" })
        yield* author.remove(id)
        for (const answer of [
          yield* author.publish(id),
          yield* author.unpublish(id, { "idempotency-key": "down" })
        ]) {
          assert.deepStrictEqual(refusalOf(answer), [404, "not-found"])
        }
      })
    )
  }
)
