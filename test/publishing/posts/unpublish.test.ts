import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

layer(service(database("test_posts_unpublish")))("unpublishing (3.1, 4.3)", (it) => {
  it.effect("An unpublished Post is a draft again, and its public URLs are 404", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(9)
      const post = yield* author.published()
      const reads = [`/api/posts/${post.id}`, `/api/posts/${post.id}/public-content`]
      for (const path of reads) assert.strictEqual((yield* client.send("GET", path)).status, 200)
      const unpublished = yield* author.unpublish(post.id, { "idempotency-key": "down" })
      const answer = {
        id: post.id,
        slug: post.slug,
        status: "draft",
        publishResult: "unpublished",
        stateChanged: true,
        url: null,
        publishedAt: null
      }
      assert.deepStrictEqual(unpublished.body, answer)
      for (const path of reads) assert.strictEqual((yield* client.send("GET", path)).status, 404)
      assert.deepInclude((yield* author.read(post.id)).body, {
        status: "draft",
        url: null,
        publishedAt: null
      })
      const replay = yield* author.unpublish(post.id, { "idempotency-key": "down" })
      assert.deepStrictEqual(replay.body, answer)
      assert.strictEqual(replay.headers.get("x-idempotency-replay"), "true")
      const again = yield* author.unpublish(post.id)
      assert.deepStrictEqual(again.body, {
        ...answer,
        publishResult: "no_op_already_draft",
        stateChanged: false
      })
      const other = yield* author.draft()
      const mismatch = yield* author.unpublish(other.id, { "idempotency-key": "down" })
      assert.deepStrictEqual(refusalOf(mismatch), [409, "idempotency-mismatch"])

      yield* TestClock.adjust("1 day")
      const republished = yield* author.publish(post.id, "again")
      assert.isTrue(republished.body.stateChanged)
      assert.strictEqual((yield* client.send("GET", reads[0]!)).status, 200)
    })
  )

  it.effect("An unpublished Post leaves the Profile that pinned it", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(10)
      const { id } = yield* author.published()
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { pinnedPostId: id } })
      const pinned = Effect.map(
        client.send("GET", `/api/profile/${author.handle}`),
        ({ body }) => body.pinned_post_id
      )
      assert.strictEqual(yield* pinned, id)
      yield* author.unpublish(id)
      assert.isNull(yield* pinned)
      assert.deepStrictEqual(yield* sql`select 1 from owners where pinned_post_id is not null`, [])
      yield* author.remove(id)
    })
  )
})
