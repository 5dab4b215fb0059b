import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { reactorOf, summary } from "./reacting.ts"

const UNKNOWN = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

/** A Post of an author with a Comment of a reader. */
const discussed = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* authorOf(number)
  const { id: postId } = yield* author.published()
  yield* publisher(number + 100)
  const commenter = yield* reactorOf(number + 100, "comments")
  const { body, status, text } = yield* client.send("POST", `/api/v1/posts/${postId}/comments`, {
    token: commenter.token,
    headers: { "idempotency-key": "one" },
    body: { content: "First" }
  })
  assert.strictEqual(status, 201, text)
  return { author, commenter, postId: String(postId), id: String(body.id) }
})

const read = (path: string, query = "") =>
  Effect.flatMap(TestClient, (client) => client.send("GET", `${path}/reactions${query}`))

layer(service(database("test_reactions_comments")))("reactions to Comments", (it) => {
  it.effect("Reactions belong only to their Comment, on each of its paths", () =>
    Effect.gen(function* () {
      const { id, postId } = yield* discussed(1)
      const bea = yield* reactorOf(11, "comments")
      assert.deepStrictEqual((yield* bea.react(id, "fire")).body, { summary: summary({ fire: 1 }, "fire") })
      const ofAuthor = yield* reactorOf(1, "comments")
      assert.deepStrictEqual((yield* ofAuthor.react(id, "clap")).body.summary.total, 2)
      const expected = (yield* read(`/api/comments/${id}`, "?reaction=fire")).body
      assert.deepStrictEqual(expected.summary, summary({ fire: 1, clap: 1 }))
      assert.lengthOf(expected.reactors, 1)
      assert.deepStrictEqual(
        (yield* read(`/api/posts/${postId}/comments/${id}`, "?reaction=fire")).body,
        expected
      )
      const own = (yield* bea.read(id, "?reaction=fire")).body
      assert.deepStrictEqual(own, { ...expected, summary: summary({ fire: 1, clap: 1 }, "fire") })
      assert.deepStrictEqual((yield* read(`/api/posts/${postId}`)).body.summary, summary({}))

      yield* (yield* Counters).add
      const client = yield* TestClient
      const { body: comments } = yield* client.send("GET", `/api/posts/${postId}/comments`)
      assert.deepStrictEqual(comments[0].reactions, summary({ fire: 1, clap: 1 }))
      const { body: post } = yield* client.send("GET", `/api/posts/${postId}`)
      assert.deepStrictEqual(post.counts, { comments: 1, reactions: 0, purchases: 0, tips: 0 })
      yield* bea.react(id, null)
      yield* (yield* Counters).add
      assert.deepStrictEqual((yield* read(`/api/comments/${id}`)).body.summary, summary({ clap: 1 }))
    })
  )

  it.effect("A reaction to one's own Comment is refused", () =>
    Effect.gen(function* () {
      const { commenter, id } = yield* discussed(2)
      for (const reaction of ["heart", null])
        assert.deepStrictEqual(refusalOf(yield* commenter.react(id, reaction)), [403, "own_target"])
    })
  )

  it.effect("A Comment has no reactions under another Post, even while an answer is kept", () =>
    Effect.gen(function* () {
      const { author, id, postId } = yield* discussed(3)
      const { id: other } = yield* author.published()
      assert.strictEqual((yield* read(`/api/posts/${postId}/comments/${id}`)).status, 200)
      assert.strictEqual((yield* read(`/api/comments/${id}`)).status, 200)
      for (const path of [`/api/posts/${other}/comments/${id}`, `/api/posts/${UNKNOWN}/comments/${id}`])
        assert.deepStrictEqual(refusalOf(yield* read(path)), [404, "not_found"])
    })
  )

  const causes: Readonly<
    Record<string, (it: Effect.Success<ReturnType<typeof discussed>>) => Effect.Effect<unknown, never, any>>
  > = {
    "an unknown Comment": () => Effect.void,
    "a deleted Comment": ({ commenter, id }) =>
      Effect.flatMap(TestClient, (client) =>
        client.send("DELETE", `/api/v1/comments/${id}`, { token: commenter.token })
      ),
    "a hidden Comment": ({ id }) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.orDie(sql`update comments set hidden_by_moderator_at = 'epoch' where id = ${id}`)
      ),
    "a closed discussion": ({ author, postId }) => author.patch(postId, { commentsEnabled: false }),
    "a withdrawn Post": ({ author, postId }) => author.unpublish(postId)
  }

  for (const [number, [name, cause]] of Object.entries(causes).entries())
    it.effect(`Reactions of ${name} are not found`, () =>
      Effect.gen(function* () {
        const discussion = yield* discussed(20 + number)
        const id = name === "an unknown Comment" ? UNKNOWN : discussion.id
        const bea = yield* reactorOf(11, "comments")
        if (id !== UNKNOWN) yield* bea.react(id, "heart")
        yield* cause(discussion)
        for (const refused of [
          bea.react(id, "fire"),
          bea.react(id, null),
          bea.read(id),
          read(`/api/comments/${id}`),
          read(`/api/posts/${discussion.postId}/comments/${id}`, "?reaction=heart")
        ])
          assert.deepStrictEqual(refusalOf(yield* refused), [404, "not_found"])
      })
    )

  it.effect("Reactions go with the Post, and leave the counters exact", () =>
    Effect.gen(function* () {
      const { author, id, postId } = yield* discussed(9)
      const bea = yield* reactorOf(11, "comments")
      yield* bea.react(id, "heart")
      yield* author.unpublish(postId)
      assert.strictEqual((yield* author.remove(postId)).status, 204)
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`select from reactions where comment_id = ${id}`)
      const counters = yield* Counters
      yield* counters.add
      yield* counters.sweep
      assert.isEmpty(yield* sql`select from counter_changes`)
    })
  )
})
