import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { completePost, publisher } from "./support/actors/owner.ts"
import { database } from "./support/Database.ts"
import { service, TestClient } from "./support/TestClient.ts"

layer(service(database("test_tour")))("the first tour", (it) => {
  it.effect("A wallet signs in, publishes a Post, and anyone reads it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const client = yield* TestClient
      const { accessToken, handle, key } = yield* publisher(1)

      const me = yield* client.send("GET", "/api/v1/me", { token: accessToken })
      assert.deepStrictEqual(me.body.publication, { ready: true, blockers: [] })

      const created = yield* client.send("POST", "/api/v1/posts", { token: key, body: completePost })
      assert.strictEqual(created.status, 201)
      assert.strictEqual(created.body.slug, "on-pennies")

      const published = yield* client.send("POST", `/api/v1/posts/${created.body.id}/publish`, {
        token: key,
        headers: { "idempotency-key": "first-light" }
      })
      assert.strictEqual(published.status, 200)
      assert.strictEqual(published.body.url, `https://press.test/@${handle}/on-pennies`)
      assert.strictEqual(published.body.publishedAt, "2026-11-21T05:00:00.000000Z")

      const found = yield* client.send("GET", "/api/posts?q=penny")
      assert.strictEqual(found.body.total, 1)
      const page = yield* client.send("GET", `/@${handle}/on-pennies`)
      assert.include(page.text, "<p>A penny for your <strong>thoughts</strong>.</p>")
      const text = yield* client.send("GET", `/@${handle}/on-pennies.md`)
      assert.include(text.text, completePost.freeContentMarkdown)
      const read = yield* client.send("GET", `/api/posts/${found.body.data[0].id}/public-content`)
      assert.strictEqual(read.body.contentMarkdown, completePost.freeContentMarkdown)
    })
  )
})
