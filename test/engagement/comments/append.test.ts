import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { refusalOf } from "../../support/actors/author.ts"
import { type Commenter, commenterOf, discussion } from "../../support/actors/commenter.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { deletedMeanwhile } from "../../support/deletedMeanwhile.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const nowhere = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

let owners = 0
/** An owner of their own for each use. */
const someone = Effect.suspend(() => commenterOf(++owners))

/** Appends a chain of replies, and returns the Comments from the root on. */
const chain = Effect.fnUntraced(function* (ada: Commenter, postId: string, length: number) {
  let last = yield* ada.say(postId, "0")
  const said = [last]
  for (let depth = 1; depth < length; depth++) {
    last = yield* ada.say(postId, String(depth), { parent: last.id })
    said.push(last)
  }
  return said
})

const invalid = (...errors: ReadonlyArray<string>) => [422, "validation", ...errors]

const DATABASE = "test_comments_append"

layer(service(database(DATABASE)))("appending a Comment", (it) => {
  it.effect("A new Comment is answered with 201, and readers see it", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id: postId } = yield* ada.published()
      const bea = yield* someone
      assert.deepStrictEqual((yield* discussion(postId)).body, [])
      const answer = yield* bea.append(postId, "Well said")
      assert.strictEqual(answer.status, 201, answer.text)
      assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      const { replayed, ...comment } = answer.body
      assert.isFalse(replayed)
      assert.deepStrictEqual(comment, {
        id: comment.id,
        postId,
        content: "Well said",
        parentCommentId: null,
        replyTargetCommentId: null,
        threadRootId: comment.id,
        depth: 0,
        createdAt: comment.createdAt,
        deletedAt: null,
        deletedByRole: null,
        author: comment.author,
        hasPurchased: false,
        reactions: { counts: { thumbs_up: 0, heart: 0, fire: 0, clap: 0 }, total: 0, viewerReaction: null },
        replyCount: 0,
        tipAmountRaw: "0"
      })
      const { authorKind, handle, name } = comment.author
      assert.deepStrictEqual([name, handle, authorKind], ["Author 2", "author2", "human"])
      assert.deepStrictEqual((yield* discussion(postId)).body, [comment])
      assert.deepStrictEqual((yield* ada.comment(comment.id)).body, comment)
    })
  )

  it.effect("The content has 1 to 2000 characters of plain text after trimming", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id } = yield* ada.published()
      // The client would not send white space around a content.
      const saved = (content: string) => Effect.map(ada.append(id, content), ({ body }) => body.content)
      const family = "👩‍👩‍👧‍👦"
      assert.strictEqual(yield* saved("  a\r\n\tb <b>&amp; \n"), "a\n\tb <b>&amp;")
      assert.strictEqual(yield* saved("x"), "x")
      assert.strictEqual(yield* saved(` ${"x".repeat(2000)} `), "x".repeat(2000))
      assert.strictEqual(yield* saved(family.repeat(1000)), family.repeat(1000))
      const refused = (content: unknown) => Effect.map(ada.append(id, content), refusalOf)
      assert.deepStrictEqual(yield* refused("x".repeat(2001)), invalid("content too_long"))
      for (const blank of ["", " \n ", "\u200b", "\u2800"])
        assert.deepStrictEqual(yield* refused(blank), invalid("content too_short"), JSON.stringify(blank))
      for (const hidden of ["a\u0007", "a\u202eb", "a\u2060b", "a\0"])
        assert.deepStrictEqual(yield* refused(hidden), invalid("content invalid"), JSON.stringify(hidden))
      assert.deepStrictEqual(yield* refused(5), invalid("content invalid"))
      assert.deepStrictEqual(yield* refused(undefined), invalid("content required"))
    })
  )

  it.effect("The parent and target of a reply belong to the same Post", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id: postId } = yield* ada.published()
      const { id: otherId } = yield* ada.published()
      const root = yield* ada.say(postId, "root")
      const other = yield* ada.say(otherId, "elsewhere")
      const refused = (parent: string, target: string = parent) =>
        Effect.map(ada.append(postId, "reply", { parent, target }), refusalOf)
      assert.deepStrictEqual(yield* refused(other.id), invalid("parentCommentId invalid"))
      assert.deepStrictEqual(yield* refused(nowhere), invalid("parentCommentId invalid"))
      assert.deepStrictEqual(yield* refused("x", root.id), invalid("parentCommentId invalid"))
      assert.deepStrictEqual(yield* refused(root.id, other.id), invalid("replyTargetCommentId invalid"))
      assert.deepStrictEqual(
        yield* refused(other.id, nowhere),
        invalid("parentCommentId invalid", "replyTargetCommentId invalid")
      )
    })
  )

  it.effect("A target needs a parent, and is the parent by default", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id } = yield* ada.published()
      const root = yield* ada.say(id, "root", { parent: null, target: null })
      const orphan = yield* ada.append(id, "reply", { target: root.id })
      assert.deepStrictEqual(refusalOf(orphan), invalid("parentCommentId required"))
      const placeOf = (it: any) => [it.parentCommentId, it.replyTargetCommentId, it.threadRootId, it.depth]
      const reply = yield* ada.say(id, "reply", { parent: root.id })
      assert.deepStrictEqual(placeOf(reply), [root.id, root.id, root.id, 1])
      const beside = yield* ada.say(id, "beside", { parent: root.id.toUpperCase(), target: reply.id })
      assert.deepStrictEqual(placeOf(beside), [root.id, reply.id, root.id, 1])
    })
  )

  it.effect("A reply may be at most four levels deep", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id } = yield* ada.published()
      const said = yield* chain(ada, id, 5)
      assert.deepStrictEqual(
        said.map(({ depth, threadRootId }) => [depth, threadRootId]),
        [0, 1, 2, 3, 4].map((depth) => [depth, said[0]!.id])
      )
      const deeper = yield* ada.append(id, "5", { parent: said[4]!.id })
      assert.deepStrictEqual(refusalOf(deeper), invalid("parentCommentId too_deep"))
      yield* ada.say(id, "beside the deepest", { parent: said[3]!.id, target: said[4]!.id })
    })
  )

  it.effect("A deleted parent or target takes no replies", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id } = yield* ada.published()
      const root = yield* ada.say(id, "0")
      const child = yield* ada.say(id, "1", { parent: root.id })
      yield* ada.removeComment(child.id)
      const toParent = yield* ada.append(id, "reply", { parent: child.id })
      assert.deepStrictEqual(refusalOf(toParent), invalid("parentCommentId invalid"))
      const toTarget = yield* ada.append(id, "reply", { parent: root.id, target: child.id })
      assert.deepStrictEqual(refusalOf(toTarget), invalid("replyTargetCommentId invalid"))
    })
  )

  it.effect("A Comment needs a public Post whose author takes Comments", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const refused = (id: string) => Effect.map(ada.append(id, "x"), refusalOf)
      const draft = yield* ada.draft()
      assert.deepStrictEqual(yield* refused(draft.id), [404, "not_found"])
      assert.deepStrictEqual(yield* refused(nowhere), [404, "not_found"])
      assert.deepStrictEqual(yield* refused("x"), invalid("postId invalid"))
      const closed = yield* ada.published({ commentsEnabled: false })
      assert.deepStrictEqual(yield* refused(closed.id), [403, "comments_disabled"])
      const { id } = yield* ada.published()
      yield* ada.unpublish(id)
      assert.deepStrictEqual(yield* refused(id), [404, "not_found"])
    })
  )

  it.effect("A Comment finds no Post when the Post is deleted during the request", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id } = yield* ada.published()
      const late = yield* deletedMeanwhile(DATABASE, id, ada.append(id, "late"))
      assert.deepStrictEqual(refusalOf(late), [404, "not_found"])
    })
  )

  it.effect("A commenter needs a chosen name and handle, and a guest may be one", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const ada = yield* someone
      const { id } = yield* ada.published()
      const { accessToken: token } = yield* signIn(99)
      const append = client.send("POST", `/api/v1/posts/${id}/comments`, {
        token,
        headers: { "idempotency-key": "first" },
        body: { content: "x" }
      })
      const refusal = [422, "profile_incomplete"]
      assert.deepStrictEqual(refusalOf(yield* append), [...refusal, "name required", "handle required"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set name = 'Nia', kind = 'guest' where starts_with(handle, 'user_')`
      assert.deepStrictEqual(refusalOf(yield* append), [...refusal, "handle required"])
      yield* sql`update owners set handle = 'nia' where name = 'Nia'`
      assert.strictEqual((yield* append).status, 201)
    })
  )

  it.effect("A commenter needs a session, because Publishing keys cannot act as readers", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const ada = yield* someone
      const { id } = yield* ada.published()
      const { id: commentId } = yield* ada.say(id, "x")
      const operations = [
        ["GET", `/api/v1/posts/${id}/comments`],
        ["POST", `/api/v1/posts/${id}/comments`],
        ["GET", `/api/v1/comments/${commentId}`],
        ["DELETE", `/api/v1/comments/${commentId}`]
      ] as const
      for (const [method, path] of operations)
        for (const credential of [{}, { token: ada.key }, { token: "x" }])
          assert.deepStrictEqual(refusalOf(yield* client.send(method, path, credential)), [
            401,
            "unauthorized"
          ])
    })
  )
})
