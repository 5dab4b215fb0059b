import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CommentNotReloaded } from "../../../schemas/engagement/comments/errors.ts"
import { inJson } from "../../../schemas/platform/errors/inJson.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Comments } from "../../../src/engagement/comments/Comments.ts"
import { Purchases } from "../../../src/payments/purchases/Purchases.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { commenterOf, discussion } from "../../support/actors/commenter.ts"
import { insertOwner, insertPost, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"

const conflict = [409, "idempotency_key_conflict"]

layer(service(database("test_comments_keys")))("the Idempotency-Key of a Comment", (it) => {
  it.effect("A replay returns the saved Comment with 200, and inserts nothing", () =>
    Effect.gen(function* () {
      const ada = yield* commenterOf(1)
      const { id } = yield* ada.published()
      const first = yield* ada.append(id, "x", { key: "a" })
      const again = yield* ada.append(id, " x\n", { key: "a" })
      assert.deepStrictEqual([first.status, again.status], [201, 200])
      assert.deepStrictEqual(again.body, { ...first.body, replayed: true })
      assert.strictEqual((yield* discussion(id)).body.length, 1)
    })
  )

  it.effect("A changed intent is a conflict", () =>
    Effect.gen(function* () {
      const ada = yield* commenterOf(2)
      const { id } = yield* ada.published()
      const { id: otherId } = yield* ada.published()
      const root = yield* ada.say(id, "root")
      const child = yield* ada.say(id, "child", { parent: root.id })
      yield* ada.say(id, "x", { key: "b", parent: root.id })
      const replayed = yield* ada.append(id, "x", { key: "b", parent: root.id, target: root.id })
      assert.strictEqual(replayed.status, 200, "the target defaults to the parent")
      for (const changed of [
        ada.append(id, "y", { key: "b", parent: root.id }),
        ada.append(otherId, "x", { key: "b", parent: root.id }),
        ada.append(id, "x", { key: "b" }),
        ada.append(id, "x", { key: "b", parent: child.id }),
        ada.append(id, "x", { key: "b", parent: root.id, target: child.id })
      ])
        assert.deepStrictEqual(refusalOf(yield* changed), conflict)
    })
  )

  it.effect("A replay returns the saved Comment, even after it was deleted", () =>
    Effect.gen(function* () {
      const ada = yield* commenterOf(3)
      const { id } = yield* ada.published()
      const said = yield* ada.say(id, "x", { key: "c" })
      yield* ada.removeComment(said.id)
      yield* ada.unpublish(id)
      const again = yield* ada.append(id, "x", { key: "c" })
      assert.deepStrictEqual(
        [again.status, again.body.id, again.body.content, again.body.deletedByRole, again.body.replayed],
        [200, said.id, null, "author", true]
      )
    })
  )

  it.effect("An Idempotency-Key belongs to its author", () =>
    Effect.gen(function* () {
      const ada = yield* commenterOf(4)
      const bea = yield* commenterOf(5)
      const { id } = yield* ada.published()
      const one = yield* ada.say(id, "one", { key: "d" })
      const other = yield* bea.say(id, "other", { key: "d" })
      assert.notStrictEqual(one.id, other.id)
    })
  )

  it.effect("An Idempotency-Key has 1 to 128 visible ASCII characters", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const ada = yield* commenterOf(6)
      const { id } = yield* ada.published()
      yield* ada.say(id, "x", { key: "~" })
      yield* ada.say(id, "x", { key: "k".repeat(128) })
      const refused = (key: string) => Effect.map(ada.append(id, "x", { key }), refusalOf)
      assert.deepStrictEqual(yield* refused("k".repeat(129)), [422, "validation", "Idempotency-Key too_long"])
      assert.deepStrictEqual(yield* refused("a b"), [422, "validation", "Idempotency-Key invalid"])
      assert.deepStrictEqual(yield* refused("é"), [422, "validation", "Idempotency-Key invalid"])
      const without = yield* client.send("POST", `/api/v1/posts/${id}/comments`, {
        token: ada.accessToken,
        body: { content: "x" }
      })
      assert.deepStrictEqual(refusalOf(without), [422, "validation", "Idempotency-Key required"])
    })
  )

  it.effect("An error after the commit names the id of the Comment, and the same key returns it", () =>
    Effect.gen(function* () {
      const owner = yield* insertOwner(7, { name: "Gus", handle: "gus" })
      const post = yield* insertPost(7, owner, "published")
      // The database goes away between the commit and the read.
      let isAway = true
      const failing = Layer.mock(Purchases, {
        buyersAmong: () =>
          isAway ? Effect.die(new Error("connection lost")) : Effect.succeed(new Set<OwnerId>())
      })
      const comments = Context.get(
        yield* Layer.build(Layer.fresh(Comments.layer.pipe(Layer.provide(failing)))),
        Comments
      )
      const append = comments.append(sessionOf(owner), post, { content: "x" }, "e")
      const first = yield* append
      assert.isFalse(first.replayed)
      const error = yield* Effect.flip(append)
      if (error._tag !== "CommentNotReloaded") return assert.fail(error._tag)
      const answer = yield* Schema.encodeEffect(inJson(CommentNotReloaded, "comment_not_reloaded"))(error)
      assert.deepStrictEqual(
        [answer.statusCode, answer.data],
        [503, { code: "comment_not_reloaded", commentId: first.id }]
      )
      const again = yield* Effect.flip(append)
      assert.deepStrictEqual([again._tag, again], ["CommentNotReloaded", error], "a repeat before it is back")
      isAway = false
      const saved = yield* append
      assert.deepStrictEqual([saved.id, saved.replayed], [error.commentId, true])
      assert.isTrue(Option.isSome(yield* comments.visible(saved.id)))
    })
  )
})

describe("Comments over two processes", () => {
  it.effect("A hundred identical requests save one Comment", () =>
    Effect.gen(function* () {
      const ada = yield* commenterOf(1)
      const { id } = yield* ada.published()
      const answers = yield* Effect.all(
        Array.from({ length: 100 }, () => ada.append(id, "once", { key: "race" })),
        { concurrency: "unbounded" }
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      assert.deepStrictEqual(statuses, [...Array.from({ length: 99 }, () => 200), 201])
      assert.strictEqual(new Set(answers.map(({ body }) => body.id)).size, 1)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select sum(amount) from counter_changes where subject_id = ${id}`, [
        { sum: 1n }
      ])
    }).pipe(Effect.provide(twoServices("test_comments_race")))
  )

  it.effect("Of two intents for one key one is saved, and the other is a conflict", () =>
    Effect.gen(function* () {
      const ada = yield* commenterOf(1)
      const { id } = yield* ada.published()
      for (let round = 0; round < 20; round++) {
        const both = yield* Effect.forEach(
          ["one", "other"],
          (content) => ada.append(id, content, { key: `round-${round}` }),
          { concurrency: 2 }
        )
        assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [201, 409])
      }
    }).pipe(Effect.provide(twoServices("test_comments_intents")))
  )
})
