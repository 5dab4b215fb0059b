import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { assertProblem } from "../../accounts/sessions/flows.ts"
import { completePost, publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

layer(service(database("test_posts_remove")))("DELETE /api/v1/posts/:id (3.1)", (it) => {
  const drafted = Effect.fnUntraced(function* (number: number) {
    const client = yield* TestClient
    const { key } = yield* publisher(number)
    const { body } = yield* client.send("POST", "/api/v1/posts", { token: key, body: completePost })
    const path = `/api/v1/posts/${body.id}`
    return {
      id: body.id as string,
      remove: client.send("DELETE", path, { token: key }),
      read: client.send("GET", path, { token: key }),
      publish: client.send("POST", `${path}/publish`, { token: key, headers: { "idempotency-key": "p" } }),
      unpublish: client.send("POST", `${path}/unpublish`, { token: key })
    }
  })

  /** Sets the counters of a Post, as a payment does. */
  const paid = Effect.fnUntraced(function* (id: string, counts: Record<string, number>) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`update posts set ${sql.update(counts)} where id = ${id}`
  })

  it.effect("draft, no paid purchase and no retained financial history: removed", () =>
    Effect.gen(function* () {
      const post = yield* drafted(1)
      assert.strictEqual((yield* post.remove).status, 204)
      assertProblem(yield* post.read, 404, "not-found")
      assertProblem(yield* post.remove, 404, "not-found")
    })
  )

  it.effect("draft, a paid purchase exists: 409 post-has-purchases, and it stays", () =>
    Effect.gen(function* () {
      const post = yield* drafted(2)
      yield* paid(post.id, { purchase_count: 1 })
      assertProblem(yield* post.remove, 409, "post-has-purchases")
      yield* paid(post.id, { tip_count: 1 })
      assertProblem(yield* post.remove, 409, "post-has-purchases")
      assert.strictEqual((yield* post.read).body.status, "draft")
    })
  )

  it.effect("draft, tips: 409 financial-history-retained, and it stays", () =>
    Effect.gen(function* () {
      const post = yield* drafted(3)
      yield* paid(post.id, { tip_count: 1 })
      assertProblem(yield* post.remove, 409, "financial-history-retained")
      assert.strictEqual((yield* post.read).body.status, "draft")
    })
  )

  it.effect("published, always: rejected; unpublish first", () =>
    Effect.gen(function* () {
      const post = yield* drafted(4)
      yield* post.publish
      assertProblem(yield* post.remove, 409, "post-published")
      yield* post.unpublish
      assert.strictEqual((yield* post.remove).status, 204)
    })
  )

  it.effect("unpublish withdraws a financially referenced Post without erasing payment context", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const post = yield* drafted(5)
      yield* post.publish
      yield* paid(post.id, { purchase_count: 2, tip_count: 1 })
      assert.strictEqual((yield* post.unpublish).body.status, "draft")
      assertProblem(yield* post.remove, 409, "post-has-purchases")
      assert.deepStrictEqual(yield* sql`select purchase_count, tip_count from posts where id = ${post.id}`, [
        { purchase_count: 2, tip_count: 1 }
      ])
    })
  )
})
