import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { assertProblem } from "../../accounts/sessions/flows.ts"
import { completePost, publisher } from "../../support/actors/owner.ts"
import { storedSettlement } from "../../support/actors/storedPayments.ts"
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

  it.effect("A draft without purchases and retained financial history is removed", () =>
    Effect.gen(function* () {
      const post = yield* drafted(1)
      assert.strictEqual((yield* post.remove).status, 204)
      assertProblem(yield* post.read, 404, "not-found")
      assertProblem(yield* post.remove, 404, "not-found")
    })
  )

  it.effect("A draft with a paid purchase is 409 post-has-purchases, and stays", () =>
    Effect.gen(function* () {
      const post = yield* drafted(2)
      yield* storedSettlement(PostId.make(post.id), "purchase", "settled")
      assertProblem(yield* post.remove, 409, "post-has-purchases")
      yield* storedSettlement(PostId.make(post.id), "tip", "settled")
      assertProblem(yield* post.remove, 409, "post-has-purchases")
      assert.strictEqual((yield* post.read).body.status, "draft")
    })
  )

  for (const [number, kind, state] of [
    [3, "tip", "settled"],
    [6, "purchase", "settling"],
    [7, "purchase", "lapsed"]
  ] as const)
    it.effect(`A draft with a ${kind} that is ${state} is 409 financial-history-retained, and stays`, () =>
      Effect.gen(function* () {
        const post = yield* drafted(number)
        yield* storedSettlement(PostId.make(post.id), kind, state)
        assertProblem(yield* post.remove, 409, "financial-history-retained")
        assert.strictEqual((yield* post.read).body.status, "draft")
      })
    )

  it.effect("A draft with a payment that was refused is removed together with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const post = yield* drafted(8)
      yield* storedSettlement(PostId.make(post.id), "purchase", "refused")
      assert.strictEqual((yield* post.remove).status, 204)
      assert.deepStrictEqual(yield* sql`select from settlements where post_id = ${post.id}`, [])
    })
  )

  it.effect("A published Post is never removed, and must be unpublished first", () =>
    Effect.gen(function* () {
      const post = yield* drafted(4)
      yield* post.publish
      assertProblem(yield* post.remove, 409, "post-published")
      yield* post.unpublish
      assert.strictEqual((yield* post.remove).status, 204)
    })
  )

  it.effect("Unpublishing withdraws a financially referenced Post without erasing payment context", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const post = yield* drafted(5)
      yield* post.publish
      yield* storedSettlement(PostId.make(post.id), "purchase", "settled")
      yield* storedSettlement(PostId.make(post.id), "tip", "settled")
      assert.strictEqual((yield* post.unpublish).body.status, "draft")
      assertProblem(yield* post.remove, 409, "post-has-purchases")
      assert.deepStrictEqual(
        yield* sql`select kind, state from settlements where post_id = ${post.id} order by kind`,
        [
          { kind: "purchase", state: "settled" },
          { kind: "tip", state: "settled" }
        ]
      )
    })
  )
})
