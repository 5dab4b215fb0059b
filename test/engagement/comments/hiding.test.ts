import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { Owners } from "../../../src/accounts/owners/Owners.ts"
import { Comments } from "../../../src/engagement/comments/Comments.ts"
import { HiddenComments } from "../../../src/engagement/comments/HiddenComments.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { commenterOf, discussion } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

const administrator = AdministratorAuthority.make({ kind: "administrator" })

let owners = 0
/** An owner of their own for each use. */
const someone = Effect.suspend(() => commenterOf(++owners))

const idsOf = (postId: string, query = "") =>
  Effect.map(discussion(postId, query), ({ body }) =>
    (body.comments ?? body).map(({ id }: { readonly id: string }) => id)
  )

/** The counters of a Post and of a Comment, after what waits was added. */
const countsOf = Effect.fnUntraced(function* (postId: string, commentId: string) {
  yield* (yield* Counters).add
  const { body } = yield* (yield* TestClient).send("GET", `/api/posts/${postId}`)
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly reply_count: number }>`
    select reply_count from comments where id = ${commentId}`
  return [body.counts.comments, row?.reply_count]
})

layer(service(database("test_comments_hiding")))("hidden Comments", (it) => {
  it.effect("A hidden Comment leaves its author's activity and returns to it immediately", () =>
    Effect.gen(function* () {
      const hidden = yield* HiddenComments
      const client = yield* TestClient
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const { author, id } = yield* bea.say(postId, "said")
      const shown = Effect.map(
        client.send("GET", `/api/profile/${author.handle}/activity`),
        ({ body }) => body.data.length
      )
      assert.strictEqual(yield* shown, 1)
      yield* hidden.hide(administrator, CommentId.make(id))
      assert.strictEqual(yield* shown, 0)
      yield* hidden.restore(administrator, CommentId.make(id))
      assert.strictEqual(yield* shown, 1)
      yield* hidden.hideAllOf(OwnerId.make(author.id))
      assert.strictEqual(yield* shown, 0)
      yield* hidden.restoreAllOf(OwnerId.make(author.id))
      assert.strictEqual(yield* shown, 1)
    })
  )

  it.effect("A hidden Comment is absent everywhere, and comes back as it was", () =>
    Effect.gen(function* () {
      const hidden = yield* HiddenComments
      const comments = yield* Comments
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const root = yield* bea.say(postId, "root")
      const said = yield* bea.say(postId, "spam", { parent: root.id })
      const id = CommentId.make(said.id)
      assert.deepStrictEqual(yield* idsOf(postId), [root.id, id])
      assert.deepStrictEqual(yield* countsOf(postId, root.id), [2, 1])
      const before = (yield* ada.comment(id)).body

      assert.deepStrictEqual(yield* hidden.hide(administrator, id), {
        commentId: id,
        postId,
        authorId: said.author.id,
        isChanged: true
      })
      assert.deepStrictEqual(yield* hidden.hide(administrator, id), {
        commentId: id,
        postId,
        authorId: said.author.id,
        isChanged: false
      })
      for (const query of ["", "?limit=10", `?threadRootId=${root.id}`])
        assert.deepStrictEqual(yield* idsOf(postId, query), [root.id])
      for (const owner of [ada, bea]) {
        assert.deepStrictEqual(refusalOf(yield* owner.comment(id)), [404, "not_found"])
        assert.strictEqual((yield* owner.comments(postId)).body.comments.length, 1)
      }
      assert.isTrue(Option.isNone(yield* comments.visible(id)))
      assert.deepStrictEqual(yield* countsOf(postId, root.id), [1, 0])
      const reply = yield* ada.append(postId, "reply", { parent: id })
      assert.deepStrictEqual(refusalOf(reply), [422, "validation", "parentCommentId invalid"])

      assert.isTrue((yield* hidden.restore(administrator, id)).isChanged)
      assert.isFalse((yield* hidden.restore(administrator, id)).isChanged)
      assert.deepStrictEqual(yield* idsOf(postId), [root.id, id])
      assert.deepStrictEqual((yield* ada.comment(id)).body, { ...before, replyCount: 0 })
      assert.deepStrictEqual(yield* countsOf(postId, root.id), [2, 1])
      assert.deepStrictEqual(
        yield* comments.visible(id),
        Option.some({ commentId: id, postId, authorId: said.author.id, isDeleted: false })
      )
    })
  )

  it.effect("Each cause for hiding a Comment is undone separately", () =>
    Effect.gen(function* () {
      const hidden = yield* HiddenComments
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const [spam, fine] = [yield* bea.say(postId, "spam"), yield* bea.say(postId, "fine")]
      const other = yield* ada.say(postId, "other")
      const author = OwnerId.make(spam.author.id)
      yield* hidden.hide(administrator, CommentId.make(spam.id))
      yield* hidden.hideAllOf(author)
      yield* hidden.hideAllOf(author)
      assert.deepStrictEqual(yield* idsOf(postId), [other.id])
      assert.deepStrictEqual(yield* countsOf(postId, spam.id), [1, 0])
      yield* hidden.restore(administrator, CommentId.make(spam.id))
      assert.deepStrictEqual(yield* idsOf(postId), [other.id])
      yield* hidden.hide(administrator, CommentId.make(spam.id))
      yield* hidden.restoreAllOf(author)
      yield* hidden.restoreAllOf(author)
      assert.deepStrictEqual(yield* idsOf(postId), [fine.id, other.id])
      assert.deepStrictEqual(yield* countsOf(postId, spam.id), [2, 0])
    })
  )

  it.effect("All Comments of an author are hidden in several transactions", () =>
    Effect.gen(function* () {
      const hidden = yield* HiddenComments
      const sql = yield* SqlClient.SqlClient
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const said = yield* bea.say(postId, "first")
      yield* sql`
        insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent, by_agent)
        select id, post_id, author_id, 'x', id, 0, created_at, 'bulk-' || n, '', false
        from (select c.post_id, c.author_id, c.created_at, gen_random_uuid() as id, n
              from comments c, generate_series(1, 1200) n where c.id = ${said.id}) it`
      assert.deepStrictEqual(yield* countsOf(postId, said.id), [1201, 0])
      yield* hidden.hideAllOf(OwnerId.make(said.author.id))
      assert.deepStrictEqual(yield* countsOf(postId, said.id), [0, 0])
      assert.deepStrictEqual(yield* idsOf(postId), [])
      yield* hidden.restoreAllOf(OwnerId.make(said.author.id))
      assert.deepStrictEqual(yield* countsOf(postId, said.id), [1201, 0])
    })
  )

  it.effect("An unknown Comment is not found", () =>
    Effect.gen(function* () {
      const hidden = yield* HiddenComments
      const id = CommentId.make("0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e")
      assert.strictEqual((yield* Effect.flip(hidden.hide(administrator, id)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(hidden.restore(administrator, id)))._tag, "NotFound")
    })
  )

  it.effect("The label of an agent covers earlier Comments until it is removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* TestClient
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const { id: earlier } = yield* bea.say(postId, "earlier")
      const labels = Effect.map(
        sql<{ readonly by_agent: boolean }>`
          select by_agent from comments where post_id = ${postId} order by created_at, id`,
        (rows) => rows.map((row) => row.by_agent)
      )
      assert.strictEqual((yield* discussion(postId)).body[0].author.authorKind, "human")
      yield* client.send("POST", "/api/v1/profile/declare-agent", { token: bea.key })
      yield* bea.say(postId, "later")
      yield* ada.say(postId, "hers")
      assert.deepStrictEqual(yield* labels, [true, true, false])
      const [first] = (yield* discussion(postId)).body
      assert.deepStrictEqual([first.id, first.author.authorKind], [earlier, "agent"])
      yield* (yield* Owners).removeAgentLabel({ handle: bea.handle })
      assert.deepStrictEqual(yield* labels, [false, false, false])
      yield* bea.published({ creationMethod: "autonomous_agent" })
      assert.deepStrictEqual(yield* labels, [true, true, false])
      yield* (yield* Owners).removeAgentLabel({ handle: bea.handle })
      const edited = yield* bea.published()
      yield* bea.patch(edited.id, { creationMethod: "autonomous_agent" })
      assert.deepStrictEqual(yield* labels, [true, true, false])
    })
  )
})

describe("the label of an agent over two processes", () => {
  it.effect("A declaration or an agent's Post concurrent with Comments labels every one of them", () =>
    Effect.gen(function* () {
      const [one, other] = yield* twoAssemblies("test_comments_labels")
      yield* Effect.gen(function* () {
        const ada = yield* commenterOf(1)
        const { id: postId } = yield* ada.published()
        const client = Context.get(other, TestClient)
        const sql = yield* SqlClient.SqlClient
        for (let round = 0; round < 10; round++) {
          yield* sql`update owners set author_kind = 'human' where handle = ${ada.handle}`
          const { id } = yield* ada.draft({ creationMethod: "autonomous_agent" })
          const headers = { "idempotency-key": id }
          const label =
            round % 2 === 0
              ? client.send("POST", "/api/v1/profile/declare-agent", { token: ada.key })
              : client.send("POST", `/api/v1/posts/${id}/publish`, { token: ada.key, headers })
          yield* Effect.all([...Array.from({ length: 4 }, () => ada.say(postId, "x")), label], {
            concurrency: "unbounded"
          })
          const wrong = yield* sql`select from comments where not by_agent`
          assert.strictEqual(wrong.length, 0)
        }
      }).pipe(Effect.provide(one))
    })
  )
})
