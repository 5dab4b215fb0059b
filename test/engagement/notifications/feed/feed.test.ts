import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { preferenceDefaults } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { Notifications } from "../../../../src/engagement/notifications/feed/Notifications.ts"
import { refusalOf } from "../../../support/actors/author.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { numbered, readerOf, type Reader } from "../reader.ts"

const commentIds = (feed: { readonly notifications: ReadonlyArray<{ readonly comment_id: string }> }) =>
  feed.notifications.map(({ comment_id }) => comment_id)

/** Comments this many times on Posts of a reader, a second apart. Returns the ids of the Comments, the newest first. */
const comments = Effect.fnUntraced(function* (reader: Reader, author: Reader, count: number) {
  const ids = Array.from({ length: count }, (_, index) => numbered(index + 1))
  for (const id of ids) {
    yield* TestClock.adjust("1 second")
    yield* reader.commentedBy(author.id, numbered(900), id)
  }
  return ids.toReversed()
})

layer(service(database("test_notifications_feed")))("the feed (spec 4.6.6)", (it) => {
  it.effect("The feed has unread notifications in an envelope of exactly its members", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const [reader, author] = yield* Effect.all([readerOf(1), readerOf(2)])
      const [id] = yield* comments(reader, author, 1)
      const feed = yield* reader.feed()
      assert.deepStrictEqual(Object.keys(feed).toSorted(), [
        "includeAll",
        "notifications",
        "pagination",
        "preferences",
        "total",
        "unread"
      ])
      const { preferences, notifications, ...rest } = feed
      // As the specification says, all of them are on or off. When sales are mailed is no such preference.
      assert.isTrue(Object.values(preferences).every((it) => typeof it === "boolean"))
      const { notify_sales: _, ...booleans } = preferenceDefaults
      assert.deepStrictEqual(preferences, booleans)
      assert.deepStrictEqual(rest, {
        total: 1,
        unread: 1,
        pagination: { limit: 20, offset: 0, hasMore: false },
        includeAll: false
      })
      const { id: _id, ...row } = notifications[0]
      assert.deepStrictEqual(row, {
        type: "new_comment",
        created_at: "2026-11-21T00:00:01.000000Z",
        read_at: null,
        actor: { id: author.id, name: "New User", handle: author.handle, avatarUrl: null },
        post_id: numbered(900),
        comment_id: id,
        purchase_id: null,
        follower_id: null,
        data: {}
      })
      assert.deepStrictEqual(yield* author.feed().pipe(Effect.map((it) => it.total)), 0)
    })
  )

  it.effect("The query includeAll adds notifications that were read", () =>
    Effect.gen(function* () {
      const [reader, author] = yield* Effect.all([readerOf(3), readerOf(4)])
      const ids = yield* comments(reader, author, 3)
      const { notifications } = yield* reader.feed()
      yield* reader.mark("read", { ids: [notifications[1].id] })
      const unread = yield* reader.feed()
      assert.deepStrictEqual(commentIds(unread), [ids[0]!, ids[2]!])
      assert.deepInclude(unread, { total: 2, unread: 2, includeAll: false })
      const all = yield* reader.feed("?includeAll=true")
      assert.deepStrictEqual(commentIds(all), ids)
      assert.deepInclude(all, { total: 3, unread: 2, includeAll: true })
      assert.isNotNull(all.notifications[1].read_at)
      assert.deepStrictEqual(commentIds(yield* reader.feed("?includeAll=false")), commentIds(unread))
    })
  )

  it.effect("A limit is clamped to 1 to 50, with 20 by default, and an offset counts from 0", () =>
    Effect.gen(function* () {
      const [reader, author] = yield* Effect.all([readerOf(5), readerOf(6)])
      const ids = yield* comments(reader, author, 60)
      const paged = Effect.fnUntraced(function* (query: string): Effect.fn.Return<ReadonlyArray<unknown>> {
        const feed = yield* reader.feed(query)
        return [commentIds(feed), feed.pagination]
      })
      const page = (offset: number, limit: number): ReadonlyArray<unknown> => [
        ids.slice(offset, offset + limit),
        { limit, offset, hasMore: offset + limit < 60 }
      ]
      assert.deepStrictEqual(yield* paged(""), page(0, 20))
      for (const limit of ["0", "-5", `-${"9".repeat(400)}`, "1"])
        assert.deepStrictEqual(yield* paged(`?limit=${limit}`), page(0, 1))
      for (const limit of ["50", "51", "9".repeat(16), "9".repeat(400)])
        assert.deepStrictEqual(yield* paged(`?limit=${limit}`), page(0, 50))
      assert.deepStrictEqual(yield* paged("?limit=50&offset=10"), page(10, 50))
      assert.deepStrictEqual(yield* paged("?limit=7&offset=59"), page(59, 7))
      assert.deepStrictEqual(yield* paged("?offset=60"), page(60, 20))
      assert.deepInclude(yield* reader.feed("?offset=2147483647"), { total: 60, unread: 60 })
      const refused = { limit: "1.5", offset: "-1", includeAll: "1", cursor: "x" }
      for (const [name, value] of Object.entries(refused)) {
        const answer = yield* reader.send("GET", `/notifications?${name}=${value}`)
        assert.deepStrictEqual(refusalOf(answer).slice(0, 2), [422, "validation"], name)
      }
    })
  )

  it.effect("Notifications of one moment are in descending order of their ids", () =>
    Effect.gen(function* () {
      const [reader, author] = yield* Effect.all([readerOf(7), readerOf(8)])
      for (const number of [1, 2, 3, 4, 5])
        yield* reader.commentedBy(author.id, numbered(900), numbered(number))
      const { notifications } = yield* reader.feed()
      const ids: ReadonlyArray<string> = notifications.map(({ id }: { readonly id: string }) => id)
      assert.lengthOf(ids, 5)
      assert.deepStrictEqual(ids, ids.toSorted().toReversed())
    })
  )

  it.effect("The feed shows only enabled types, and is empty without in-app notifications", () =>
    Effect.gen(function* () {
      const [reader, author] = yield* Effect.all([readerOf(9), readerOf(10)])
      yield* comments(reader, author, 2)
      yield* TestClock.adjust("1 second")
      yield* reader.followedBy(author.id)
      const types = Effect.fnUntraced(function* () {
        const { notifications, preferences: _, ...rest } = yield* reader.feed("?includeAll=true")
        return [notifications.map(({ type }: { readonly type: string }) => type), rest.total, rest.unread]
      })
      assert.deepStrictEqual(yield* types(), [["new_follow", "new_comment", "new_comment"], 3, 3])
      yield* reader.prefer({ notify_new_comment_inapp: false })
      assert.deepStrictEqual(yield* types(), [["new_follow"], 1, 1])
      yield* reader.prefer({ in_app_notifications: false, notify_new_comment_inapp: true })
      assert.deepStrictEqual(yield* types(), [[], 0, 0])
      assert.isFalse((yield* reader.feed()).preferences.in_app_notifications)
      yield* reader.prefer({ in_app_notifications: true, notify_new_comment: false })
      assert.deepStrictEqual(yield* types(), [["new_follow", "new_comment", "new_comment"], 3, 3])
    })
  )

  it.effect("The feed is only its owner's, and no shared cache keeps it (spec 4.6.8)", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const reader = yield* readerOf(11)
      for (const path of ["/notifications", "/notification-preferences"]) {
        const answer = yield* reader.send("GET", path)
        assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
        assert.isNull(answer.headers.get("etag"))
        assert.strictEqual((yield* client.send("GET", `/api/v1${path}`)).status, 401)
      }
    })
  )

  it.effect("Notifications older than 180 days are removed", () =>
    Effect.gen(function* () {
      const [reader, author] = yield* Effect.all([readerOf(12), readerOf(13)])
      yield* comments(reader, author, 1)
      yield* TestClock.adjust("180 days")
      yield* reader.commentedBy(author.id, numbered(900), numbered(2))
      const left = Effect.gen(function* () {
        yield* (yield* Notifications).sweep
        const sql = yield* SqlClient.SqlClient
        return (yield* sql`select from notifications where recipient_id = ${reader.id}`).length
      })
      assert.strictEqual(yield* left, 2)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* left, 1)
    })
  )
})
