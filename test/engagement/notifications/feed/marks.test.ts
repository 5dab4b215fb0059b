import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { refusalOf } from "../../../support/actors/author.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { numbered, readerOf } from "../reader.ts"

/** A reader with a new follower and with three Comments on two Posts. */
const readerWith = Effect.fnUntraced(function* (number: number) {
  const [reader, author] = yield* Effect.all([readerOf(number), readerOf(number + 1)])
  const about = [
    [901, 1],
    [901, 2],
    [902, 3]
  ] as const
  yield* reader.followedBy(author.id)
  for (const [post, comment] of about) {
    yield* TestClock.adjust("1 second")
    yield* reader.commentedBy(author.id, numbered(post), numbered(comment))
  }
  return { reader, author }
})

const idsOf = (feed: { readonly notifications: ReadonlyArray<{ readonly id: string }> }) =>
  feed.notifications.map(({ id }) => id)

layer(service(database("test_notifications_marks")))("marks (spec 4.6.7)", (it) => {
  it.effect("A mark-read ignores duplicates, and counts the ids that were unread", () =>
    Effect.gen(function* () {
      const { reader } = yield* readerWith(1)
      const [first, second] = idsOf(yield* reader.feed())
      const mark = (ids: ReadonlyArray<unknown>) =>
        Effect.map(reader.mark("read", { ids }), ({ body }) => body)
      assert.deepStrictEqual(yield* mark([]), { updated: 0 })
      assert.deepStrictEqual(yield* mark([first, first, first!.toUpperCase()]), { updated: 1 })
      assert.deepStrictEqual(yield* mark([first, second, numbered(1)]), { updated: 1 })
      assert.deepStrictEqual(yield* mark([first, second]), { updated: 0 })
      assert.deepInclude(yield* reader.feed(), { total: 2 })
    })
  )

  it.effect("A mark-read takes at most 200 ids", () =>
    Effect.gen(function* () {
      const { reader } = yield* readerWith(3)
      const ids = (count: number) => Array.from({ length: count }, (_, index) => numbered(index))
      assert.deepStrictEqual((yield* reader.mark("read", { ids: ids(200) })).body, { updated: 0 })
      assert.deepStrictEqual(refusalOf(yield* reader.mark("read", { ids: ids(201) })), [
        422,
        "validation",
        "ids too_many"
      ])
      assert.deepStrictEqual(refusalOf(yield* reader.mark("read", { ids: ["x"] })), [
        422,
        "validation",
        "ids.0 invalid"
      ])
    })
  )

  it.effect("Marks change only the owner's rows", () =>
    Effect.gen(function* () {
      const { author: stranger, reader } = yield* readerWith(5)
      const ids = idsOf(yield* reader.feed())
      assert.deepStrictEqual((yield* stranger.mark("read", { ids })).body, { updated: 0 })
      const context = { postId: numbered(901) }
      assert.deepStrictEqual((yield* stranger.mark("context-read", { context })).body, { updated: 0 })
      assert.deepStrictEqual((yield* stranger.mark("all-read")).body, { updated: 0 })
      assert.deepInclude(yield* reader.feed(), { total: 4 })
    })
  )

  it.effect("A mark-context-read marks what matches every filter, in either spelling", () =>
    Effect.gen(function* () {
      const { author, reader } = yield* readerWith(7)
      const mark = (context: object) =>
        Effect.map(reader.mark("context-read", { context }), ({ body }) => body.updated)
      assert.strictEqual(yield* mark({ postId: numbered(901), commentId: numbered(3) }), 0)
      assert.strictEqual(yield* mark({ postId: numbered(901), comment_id: numbered(1) }), 1)
      assert.strictEqual(yield* mark({ post_id: numbered(901), types: ["new_follow"] }), 0)
      assert.strictEqual(yield* mark({ post_id: numbered(901), types: [] }), 1)
      assert.strictEqual(yield* mark({ purchaseId: numbered(1) }), 0)
      assert.strictEqual(yield* mark({ followerId: author.id, types: ["new_follow", "summary"] }), 1)
      assert.strictEqual(yield* mark({ types: ["new_comment"] }), 1)
      assert.deepInclude(yield* reader.feed(), { total: 0 })
    })
  )

  it.effect("A mark-context-read without a usable filter or with an unknown key is a 400", () =>
    Effect.gen(function* () {
      const { reader } = yield* readerWith(9)
      const refused = (body: object) => Effect.map(reader.mark("context-read", body), refusalOf)
      const errors = [
        [{}, "context required"],
        [{ context: {} }, "context required"],
        [{ context: { types: [] } }, "context required"],
        [{ context: { postID: numbered(901) } }, "context.postID unknown"],
        [{ context: { postId: numbered(901) }, all: true }, "all unknown"],
        [{ context: { postId: "x" } }, "context.postId invalid"],
        [{ context: { types: ["new_like"] } }, "context.types.0 invalid"],
        [{ context: { postId: numbered(1), post_id: numbered(2) } }, "context mismatch"]
      ] as const
      for (const [body, error] of errors)
        assert.deepStrictEqual(yield* refused(body), [400, "invalid_members", error])
      assert.deepInclude(yield* reader.feed(), { total: 4 })
    })
  )

  it.effect("A mark-all-read marks every own notification, of disabled types too", () =>
    Effect.gen(function* () {
      const { reader } = yield* readerWith(11)
      yield* reader.prefer({ notify_new_follow_inapp: false })
      assert.deepStrictEqual((yield* reader.mark("all-read")).body, { updated: 4 })
      assert.deepStrictEqual((yield* reader.mark("all-read")).body, { updated: 0 })
      yield* reader.prefer({ notify_new_follow_inapp: true })
      assert.deepInclude(yield* reader.feed(), { total: 0 })
    })
  )
})
