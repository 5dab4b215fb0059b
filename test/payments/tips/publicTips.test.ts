import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const UNKNOWN = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

/** A Post with a Comment of its author. */
const discussed = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* authorOf(number)
  const { id: postId } = yield* author.published()
  const { body } = yield* client.send("POST", `/api/v1/posts/${postId}/comments`, {
    token: author.accessToken,
    headers: { "idempotency-key": "one" },
    body: { content: "Tip this" }
  })
  const commentId: string = body.id
  return { author, postId: String(postId), commentId }
})

const get = (path: string) => Effect.flatMap(TestClient, (client) => client.send("GET", `/api/posts/${path}`))

layer(service(database("test_tips")))("tips as anyone sees them", (it) => {
  it.effect("A Post and a Comment without tips have empty lists", () =>
    Effect.gen(function* () {
      const { commentId, postId } = yield* discussed(1)
      for (const path of [`${postId}/tip-activities`, `${postId}/comments/${commentId}/tips/supporters`]) {
        const answer = yield* get(path)
        assert.deepStrictEqual([answer.status, answer.body], [200, []])
        assert.strictEqual(
          answer.headers.get("cache-control"),
          "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
        )
      }
    })
  )

  it.effect("Tip activities of a missing, draft or withdrawn Post are 404", () =>
    Effect.gen(function* () {
      const { author, postId } = yield* discussed(2)
      const draft = yield* author.draft()
      yield* author.unpublish(postId)
      for (const missing of [postId, draft.id, UNKNOWN, "none"])
        assert.deepStrictEqual(refusalOf(yield* get(`${missing}/tip-activities`)), [404, "not_found"])
    })
  )

  it.effect("Supporters of a deleted Comment, of another Post or of a withdrawn one are 404", () =>
    Effect.gen(function* () {
      const { author, commentId, postId } = yield* discussed(3)
      const supporters = (post: string, comment = commentId) =>
        Effect.map(get(`${post}/comments/${comment}/tips/supporters`), refusalOf)
      const missing = [404, "not_found"]
      const other = yield* author.published()
      for (const post of [other.id, UNKNOWN, "none"]) assert.deepStrictEqual(yield* supporters(post), missing)
      for (const comment of [UNKNOWN, "none"])
        assert.deepStrictEqual(yield* supporters(postId, comment), missing)
      yield* author.unpublish(postId)
      assert.deepStrictEqual(yield* supporters(postId), missing)
      yield* author.publish(postId, `again-${postId}`)
      const client = yield* TestClient
      yield* client.send("DELETE", `/api/v1/comments/${commentId}`, { token: author.accessToken })
      assert.deepStrictEqual(yield* supporters(postId), missing)
    })
  )
})
