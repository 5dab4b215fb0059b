import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { commenterOf, discussion } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const nowhere = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

let owners = 0
/** An owner of their own for each use. */
const someone = Effect.suspend(() => commenterOf(++owners))

layer(service(database("test_comments_deletion")))("deleting a Comment", (it) => {
  it.effect("A deletion of one's own Comment erases the content and keeps the thread", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const root = yield* bea.say(postId, "a secret")
      const reply = yield* ada.say(postId, "answer", { parent: root.id })
      yield* TestClock.adjust("1 minute")
      const deleted = yield* bea.removeComment(root.id)
      assert.strictEqual(deleted.headers.get("cache-control"), "private, no-store")
      assert.deepStrictEqual(
        [deleted.status, deleted.body],
        [
          200,
          {
            success: true,
            id: root.id,
            post_id: postId,
            deleted_at: deleted.body.deleted_at,
            deleted_by_role: "author"
          }
        ]
      )
      const { replayed: _, ...before } = root
      const tombstone = {
        ...before,
        content: null,
        deletedAt: deleted.body.deleted_at,
        deletedByRole: "author"
      }
      assert.notStrictEqual(tombstone.deletedAt, tombstone.createdAt)
      const [first, second] = (yield* discussion(postId)).body
      assert.deepStrictEqual(first, tombstone)
      assert.deepStrictEqual([second.id, second.parentCommentId], [reply.id, root.id])
      assert.deepStrictEqual((yield* ada.comment(root.id)).body, tombstone)
      assert.deepStrictEqual(yield* sql`select id from comments c where c::text like '%a secret%'`, [])
    })
  )

  it.effect("A deletion on one's own Post is moderation", () =>
    Effect.gen(function* () {
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const said = yield* bea.say(postId, "x")
      const deleted = yield* ada.removeComment(said.id)
      assert.strictEqual(deleted.body.deleted_by_role, "moderator")
      const { content, deletedByRole } = (yield* bea.comment(said.id)).body
      assert.deepStrictEqual([content, deletedByRole], [null, "moderator"])
      const own = yield* ada.say(postId, "mine")
      assert.strictEqual((yield* ada.removeComment(own.id)).body.deleted_by_role, "author")
    })
  )

  it.effect("A repeat by either of them answers the first deletion", () =>
    Effect.gen(function* () {
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const said = yield* bea.say(postId, "x")
      const first = yield* ada.removeComment(said.id)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual((yield* ada.removeComment(said.id)).body, first.body)
      assert.deepStrictEqual((yield* bea.removeComment(said.id)).body, first.body)
    })
  )

  it.effect("Of two concurrent deletions one deletes, and both answer it", () =>
    Effect.gen(function* () {
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      for (let round = 0; round < 10; round++) {
        const { id } = yield* bea.say(postId, "x")
        const [one, other] = yield* Effect.all([ada.removeComment(id), bea.removeComment(id)], {
          concurrency: 2
        })
        assert.strictEqual(one.status, 200)
        assert.deepStrictEqual(one.body, other.body)
      }
      yield* (yield* Counters).add
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select comments from post_counts where post_id = ${postId}`, [
        { comments: 0 }
      ])
    })
  )

  it.effect("Another owner's Comment is forbidden to delete, and an invisible one is not found", () =>
    Effect.gen(function* () {
      const [ada, bea, cleo] = [yield* someone, yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const said = yield* bea.say(postId, "x")
      assert.deepStrictEqual(refusalOf(yield* cleo.removeComment(said.id)), [403, "forbidden"])
      assert.deepStrictEqual(refusalOf(yield* cleo.removeComment(nowhere)), [404, "not_found"])
      yield* ada.unpublish(postId)
      assert.deepStrictEqual(refusalOf(yield* cleo.removeComment(said.id)), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* cleo.comment(said.id)), [404, "not_found"])
      const own = yield* bea.removeComment(said.id)
      assert.strictEqual(own.status, 200, "a Comment stays its author's on a Post that is not public")
    })
  )
})
