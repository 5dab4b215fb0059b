import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { commenterOf, discussion } from "../../support/actors/commenter.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"
import { followersOf } from "../notifications/fanout/crowd.ts"

const reason = "Copied"

layer(service(database("test_withdrawn_posts"), 1, { adminToken: ADMIN_TOKEN }))(
  "moderation of Posts and Comments",
  (it) => {
    it.effect("A withdrawn Post is a draft that cannot be published, and returns with its former time", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const client = yield* TestClient
        const sql = yield* SqlClient.SqlClient
        const moderator = yield* administrator()
        const author = yield* commenterOf(1)
        const [owner] = yield* sql<{
          readonly id: string
        }>`select id from owners where handle = ${author.handle}`
        yield* followersOf(owner!.id, 1)
        const { id } = yield* author.published()
        const postId = PostId.make(id)
        const { publishedAt } = (yield* author.read(id)).body
        const isFound = Effect.map(client.send("GET", `/api/posts/${id}`), ({ status }) => status === 200)
        yield* TestClock.adjust("1 hour")

        const withdrawn = yield* moderator["moderation.posts.withdraw"]({ postId, reason })
        assert.deepStrictEqual(withdrawn, { postId, status: "draft", isWithdrawn: true })
        assert.deepStrictEqual(yield* moderator["moderation.posts.withdraw"]({ postId, reason }), withdrawn)
        assert.isFalse(yield* isFound)
        assert.strictEqual((yield* author.read(id)).body.status, "draft")
        assert.deepStrictEqual(refusalOf(yield* author.publish(id, "again")), [409, "post-withdrawn"])
        assert.deepStrictEqual(yield* wrongCounts(sql), [])

        const restored = yield* moderator["moderation.posts.restore"]({ postId, reason })
        assert.deepStrictEqual(restored, { postId, status: "published", isWithdrawn: false })
        assert.deepStrictEqual(yield* moderator["moderation.posts.restore"]({ postId, reason }), restored)
        assert.isTrue(yield* isFound)
        assert.strictEqual((yield* author.read(id)).body.publishedAt, publishedAt)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
        const fanouts =
          yield* sql`select id from notification_fanouts where post_id = ${id} and type = 'new_post'`
        assert.lengthOf(fanouts, 1, "the return is no first publication")
        const { entries } = yield* moderator["moderation.audit.list"]({ subjectId: id })
        assert.sameMembers(
          entries.map(({ action }) => action),
          ["moderation.posts.restore", "moderation.posts.withdraw"]
        )
        const unknown = PostId.make("00000000-0000-7000-8000-000000000000")
        const error = yield* Effect.flip(moderator["moderation.posts.withdraw"]({ postId: unknown, reason }))
        assert.strictEqual(error._tag, "PostNotFound")
      })
    )

    it.effect(
      "A restored Post stays a draft if it was a draft, is incomplete, or its author wants it so",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const moderator = yield* administrator()
          const author = yield* commenterOf(2)
          const draft = yield* author.draft()
          const emptied = yield* author.published()
          const unwanted = yield* author.published()
          const ids = [draft.id, emptied.id, unwanted.id].map((id) => PostId.make(id))
          for (const postId of ids) yield* moderator["moderation.posts.withdraw"]({ postId, reason })
          assert.strictEqual((yield* author.patch(emptied.id, { description: "" })).status, 200)
          assert.strictEqual((yield* author.unpublish(unwanted.id)).status, 200)
          for (const postId of ids) {
            const restored = yield* moderator["moderation.posts.restore"]({ postId, reason })
            assert.deepStrictEqual(restored, { postId, status: "draft", isWithdrawn: false })
          }
          assert.strictEqual((yield* author.publish(draft.id)).status, 200)
          assert.deepStrictEqual(yield* wrongCounts(sql), [])
        })
    )

    it.effect("A decision about a Post or Comment outlasts the restriction of the author", () =>
      Effect.gen(function* () {
        const moderator = yield* administrator()
        const author = yield* commenterOf(3)
        const writer = yield* commenterOf(4)
        const { id } = yield* author.published()
        const kept = yield* author.published({ title: "Kept" })
        const open = yield* writer.published()
        const hidden = yield* author.say(open.id, "Hidden by itself")
        const said = yield* author.say(open.id, "Hidden with its author")
        const { handle } = author
        const contents = Effect.map(discussion(open.id), ({ body }) =>
          body.map((comment: { readonly content: string }) => comment.content)
        )
        const statuses = Effect.forEach([id, kept.id], (one) =>
          Effect.map(author.read(one), ({ body }) => body.status)
        )
        const commentId = CommentId.make(hidden.id)
        yield* moderator["moderation.comments.hide"]({ commentId, reason })
        yield* moderator["moderation.posts.withdraw"]({ postId: PostId.make(id), reason })
        assert.deepStrictEqual(yield* contents, ["Hidden with its author"])
        yield* moderator["accounts.restrict"]({ handle, reason })
        yield* followRestrictions
        assert.deepStrictEqual(yield* contents, [])
        assert.deepStrictEqual(yield* statuses, ["draft", "draft"])
        yield* moderator["accounts.unrestrict"]({ handle, reason })
        yield* followRestrictions
        assert.deepStrictEqual(yield* contents, [said.content])
        assert.deepStrictEqual(yield* statuses, ["draft", "published"])

        // Restored while the author is restricted, a Post returns with the end of the restriction.
        yield* moderator["accounts.restrict"]({ handle, reason })
        yield* followRestrictions
        const restored = yield* moderator["moderation.posts.restore"]({ postId: PostId.make(id), reason })
        assert.strictEqual(restored.status, "draft")
        yield* moderator["moderation.comments.restore"]({ commentId, reason })
        assert.deepStrictEqual(yield* contents, [])
        yield* moderator["accounts.unrestrict"]({ handle, reason })
        yield* followRestrictions
        assert.deepStrictEqual(yield* statuses, ["published", "published"])
        assert.deepStrictEqual(yield* contents, ["Hidden by itself", said.content])
      })
    )
  }
)
