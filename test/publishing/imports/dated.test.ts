import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Hub from "../../../layers/testing/FeedHubMemory.ts"
import { followsOf } from "../../engagement/follows/follower.ts"
import { ownerIdOf } from "../../payments/settlement/paying.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { inSeconds, publishAllDue, schedulerOf } from "../posts/schedules/scheduling.ts"
import { importerOf, withJsonItems, workImports } from "./importer.ts"

const NOW = Date.UTC(2026, 10, 29, 12)
const HOUR = 60 * 60 * 1000

const withHub = service(database("test_import_dated"), 1, withJsonItems).pipe(Layer.provideMerge(Hub.layer))

/** Makes a draft that was dated so elsewhere. */
const datedDraft = Effect.fnUntraced(function* (number: number, datedAt: string | null) {
  const author = yield* importerOf(number)
  yield* followsOf(yield* readerOf(number + 50)).follow(yield* ownerIdOf(author.accessToken))
  const { id } = yield* author.imported([{ datedAt, draft: { categoryIds: [3, null] } }])
  yield* author.apply(id)
  yield* workImports
  const { postId } = (yield* author.items(id)).body.data[0]
  yield* author.patch(postId, { creationMethod: "human_written", creationAttested: true })
  return { author, postId: postId as string }
})

/** Returns the numbers of changed feeds, and of Posts for the notifications of followers. */
const news = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly feeds: number; readonly told: number }>`
    select (select count(*)::int4 from feed_changes) as feeds,
      (select count(*)::int4 from notification_fanouts) as told`
  return rows[0]!
})

layer(withHub)("Posts with a date of their own", (it) => {
  it.effect("A first publication that is old elsewhere tells no one, and a recent one does", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const old = yield* datedDraft(1, new Date(NOW - 25 * HOUR).toISOString())
      const before = yield* news
      const published = yield* old.author.publish(old.postId)
      assert.strictEqual(published.status, 200, published.text)
      assert.strictEqual(published.body.publishedAt, "2026-11-28T11:00:00.000000Z")
      assert.deepStrictEqual(yield* news, before)

      const recent = yield* datedDraft(2, new Date(NOW - 23 * HOUR).toISOString())
      assert.strictEqual(
        (yield* recent.author.publish(recent.postId)).body.publishedAt,
        "2026-11-28T13:00:00.000000Z"
      )
      const after = yield* news
      assert.isAbove(after.feeds, before.feeds)
      assert.isAbove(after.told, before.told)

      const client = yield* TestClient
      const list = (yield* client.send("GET", "/api/posts")).body
      assert.deepStrictEqual(
        list.data.map(({ id }: { readonly id: string }) => id),
        [recent.postId, old.postId]
      )
    })
  )

  it.effect("A date of the future, and none, leave the time of the publication", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      for (const [number, datedAt] of [
        [3, new Date(NOW + HOUR).toISOString()],
        [4, null]
      ] as const) {
        const { author, postId } = yield* datedDraft(number, datedAt)
        assert.strictEqual((yield* author.publish(postId)).body.publishedAt, "2026-11-29T12:00:00.000000Z")
      }
    })
  )

  it.effect("A scheduled publication is news of its moment, however old the post is elsewhere", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { author, postId } = yield* datedDraft(6, "2019-01-02T03:04:05.000Z")
      const before = yield* news
      const publishAt = yield* inSeconds(60)
      const saved = yield* schedulerOf(author).schedule(postId, { publishAt })
      assert.strictEqual(saved.status, 200, saved.text)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* publishAllDue, 1)
      assert.strictEqual((yield* author.read(postId)).body.publishedAt, "2026-11-29T12:01:00.000000Z")
      assert.isAbove((yield* news).told, before.told)
    })
  )

  it.effect("An author clears the date of a draft, and sets no other", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { author, postId } = yield* datedDraft(5, "2019-01-02T03:04:05.000Z")
      for (const datedAt of ["2019-01-02T03:04:05.000000Z", "2020-01-01T00:00:00Z", 5])
        assert.deepStrictEqual(refusalOf(yield* author.patch(postId, { datedAt })), [
          422,
          "validation",
          "datedAt invalid"
        ])
      assert.deepStrictEqual(
        refusalOf(yield* author.create({ title: "A", freeContentMarkdown: "b", datedAt: null })),
        [422, "validation", "datedAt unknown"]
      )
      const cleared = yield* author.patch(postId, { datedAt: null })
      assert.isNull(cleared.body.datedAt)
      assert.strictEqual((yield* author.publish(postId)).body.publishedAt, "2026-11-29T12:00:00.000000Z")
    })
  )
})
