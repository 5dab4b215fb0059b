import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf, refusalOf } from "../../../support/actors/author.ts"
import { database } from "../../../support/Database.ts"
import { deletedMeanwhile } from "../../../support/deletedMeanwhile.ts"
import { service } from "../../../support/TestClient.ts"
import { numbered, readerOf } from "../reader.ts"

const DATABASE = "test_post_mutes"

layer(service(database(DATABASE)))("mutes of a Post", (it) => {
  it.effect("A mute is a desired state of one owner", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id } = yield* author.published()
      const [reader, other] = yield* Effect.all([readerOf(2), readerOf(3)])
      const read = reader.send("GET", `/notifications/posts/${id}/mute`)
      assert.deepStrictEqual((yield* read).body, { muted: false })
      for (const muted of [true, true, false, false, true]) {
        assert.deepStrictEqual((yield* reader.mute(id, muted)).body, { muted })
        assert.deepStrictEqual((yield* read).body, { muted })
      }
      assert.deepStrictEqual((yield* other.send("GET", `/notifications/posts/${id}/mute`)).body, {
        muted: false
      })
    })
  )

  it.effect("A mute ends with a Post that is deleted during the request", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const reader = yield* readerOf(9)
      const { id } = yield* author.published()
      const late = yield* deletedMeanwhile(DATABASE, id, reader.mute(id, true))
      assert.deepStrictEqual([late.status, late.body], [200, { muted: true }])
      assert.deepStrictEqual(refusalOf(yield* reader.mute(id, true)), [404, "not_found"])
    })
  )

  it.effect("A mute silences only the Comments on its Post", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const [first, second] = yield* Effect.all([author.published(), author.published()])
      const [owner, reader] = yield* Effect.all([readerOf(4), readerOf(5)])
      yield* owner.mute(first.id, true)
      yield* owner.commentedBy(reader.id, first.id, numbered(1))
      yield* owner.commentedBy(reader.id, second.id, numbered(2))
      yield* owner.followedBy(reader.id)
      const heard = Effect.map(owner.feed(), (feed) =>
        feed.notifications.map(({ post_id, type }: { readonly [key: string]: string }) => [type, post_id])
      )
      assert.sameDeepMembers(yield* heard, [
        ["new_follow", null],
        ["new_comment", second.id]
      ])
      yield* owner.mute(first.id, false)
      yield* owner.commentedBy(reader.id, first.id, numbered(3))
      assert.lengthOf(yield* heard, 3)
    })
  )

  it.effect("A mute is 404 for a Post that the owner cannot see", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const [own, reader] = yield* Effect.all([readerOf(6), readerOf(7)])
      const { id } = yield* author.draft()
      assert.deepStrictEqual(refusalOf(yield* reader.mute(id, true)), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* reader.mute(numbered(1), true)), [404, "not_found"])
      assert.deepStrictEqual((yield* own.mute(id, true)).body, { muted: true })
      yield* author.publish(id)
      yield* reader.mute(id, true)
      yield* author.unpublish(id)
      assert.deepStrictEqual((yield* reader.mute(id, false)).body, { muted: false })
      assert.deepStrictEqual(refusalOf(yield* reader.mute(id, true)), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* reader.send("PUT", `/notifications/posts/${id}/mute`, {})), [
        422,
        "validation",
        "muted required"
      ])
    })
  )
})
