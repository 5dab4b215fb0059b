import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Follows } from "../../../src/engagement/follows/Follows.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { errorsOf, refusalOf } from "../../support/actors/author.ts"
import { type Reader, readerOf } from "../../support/actors/reader.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { followsOf } from "./follower.ts"

const UNKNOWN = "00000000-0000-4000-8000-00000000ffff"

const get = Effect.fnUntraced(function* (path: string) {
  return yield* (yield* TestClient).send("GET", path)
})

const save = Effect.fnUntraced(function* (follower: OwnerId, creator: OwnerId, following: boolean) {
  yield* (yield* Follows).save(sessionOf(follower), creator, following)
})

const handlesOf = (body: { readonly data: ReadonlyArray<{ readonly handle: string }> }) =>
  body.data.map(({ handle }) => handle)

layer(service(database("test_follow_lists")))("lists of follows (4.5)", (it) => {
  it.effect("A list has the newest follow first, rows of the two owners, and the total", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const creator = yield* insertOwner(1)
      const ada = yield* insertOwner(2, { name: "Ada", author_kind: "agent", avatar_url: "https://a.test/a" })
      const bea = yield* insertOwner(3)
      yield* save(ada, creator, true)
      yield* TestClock.adjust("1 second")
      yield* save(bea, creator, true)
      const row = (n: number, at: string, more: object = {}) => ({
        id: [creator, ada, bea][n - 1],
        name: "New User",
        handle: `user_${n}`,
        avatar_url: null,
        author_kind: "human",
        followed_at: `2026-11-21T05:00:0${at}.000000Z`,
        ...more
      })
      const adaRow = row(2, "0", { name: "Ada", author_kind: "agent", avatar_url: "https://a.test/a" })
      const followers = yield* get(`/api/followers/${creator}`)
      assert.deepStrictEqual(followers.body, {
        data: [row(3, "1"), adaRow],
        total: 2,
        page: 1,
        per_page: 10
      })
      assert.deepStrictEqual((yield* get(`/api/following/${ada}`)).body, {
        data: [row(1, "0")],
        total: 1,
        page: 1,
        per_page: 10
      })
      assert.deepStrictEqual((yield* get(`/api/following/${creator}`)).body, {
        data: [],
        total: 0,
        page: 1,
        per_page: 10
      })

      // A follow again is the newest.
      yield* TestClock.adjust("1 second")
      yield* save(ada, creator, false)
      assert.deepStrictEqual(handlesOf((yield* get(`/api/followers/${creator}`)).body), ["user_3"])
      yield* save(ada, creator, true)
      assert.deepStrictEqual(handlesOf((yield* get(`/api/followers/${creator}`)).body), ["user_2", "user_3"])
    })
  )

  it.effect("Pages follow each other, and a page beyond the end has only the total", () =>
    Effect.gen(function* () {
      const creator = yield* insertOwner(10)
      // Follows of one moment: the ids order them.
      for (let n = 11; n <= 35; n++) yield* save(yield* insertOwner(n), creator, true)
      const page = (query: string) => Effect.map(get(`/api/followers/${creator}${query}`), ({ body }) => body)
      const all = handlesOf(yield* page("?per_page=50"))
      assert.lengthOf(new Set(all), 25)
      const first = yield* page("")
      assert.deepStrictEqual(handlesOf(first), all.slice(0, 10))
      assert.deepInclude(first, { total: 25, page: 1, per_page: 10 })
      assert.deepStrictEqual(yield* page("?page=1&per_page=10"), first)
      assert.deepStrictEqual(handlesOf(yield* page("?page=3")), all.slice(20))
      assert.deepStrictEqual(handlesOf(yield* page("?page=25&per_page=1")), all.slice(24))
      assert.deepStrictEqual(yield* page("?page=4"), { data: [], total: 25, page: 4, per_page: 10 })
      assert.deepStrictEqual(yield* page("?page=1000&per_page=50"), {
        data: [],
        total: 25,
        page: 1000,
        per_page: 50
      })
    })
  )

  it.effect("A list refuses a page or size out of bounds, and ignores other parameters", () =>
    Effect.gen(function* () {
      const owner = yield* insertOwner(40)
      for (const list of ["followers", "following"]) {
        for (const [query, error] of [
          ["page=0", "page out_of_range"],
          ["page=1001", "page out_of_range"],
          ["page=1e1", "page invalid"],
          ["per_page=0", "per_page out_of_range"],
          ["per_page=51", "per_page out_of_range"],
          ["per_page=", "per_page invalid"]
        ] as const) {
          const refused = yield* get(`/api/${list}/${owner}?${query}`)
          assert.strictEqual(refused.status, 422)
          assert.deepStrictEqual(errorsOf(refused), [error])
        }
        assert.strictEqual((yield* get(`/api/${list}/${owner}?utm_source=mail`)).status, 200)
      }
    })
  )

  it.effect("Lists and counts of an unknown owner or a malformed id are 404", () =>
    Effect.gen(function* () {
      for (const id of [UNKNOWN, "someone"])
        for (const path of [`followers/${id}`, `following/${id}`, `follows/counts/${id}`])
          assert.deepStrictEqual(refusalOf(yield* get(`/api/${path}`)), [404, "not_found"], path)
    })
  )

  it.effect("A list shows a changed name immediately", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const reader = yield* readerOf(1)
      const creator = yield* insertOwner(50)
      yield* followsOf(reader).follow(creator)
      const name = Effect.map(get(`/api/followers/${creator}`), ({ body }) => body.data[0].name)
      assert.strictEqual(yield* name, "New User")
      const issued = yield* reader.send("POST", "/api/v1/api-keys", { body: {} })
      yield* client.send("PATCH", "/api/v1/profile", { token: issued.body.key, body: { name: "Cleo" } })
      assert.strictEqual(yield* name, "Cleo")
    })
  )
})

layer(service(database("test_follow_counts")))("follow counts (4.5)", (it) => {
  const countsOf = (id: OwnerId) => Effect.map(get(`/api/follows/counts/${id}`), ({ body }) => body)
  const seenBy = (reader: Reader, id: OwnerId) => reader.send("GET", `/api/follows/counts/${id}`)

  it.effect("Counts are exact immediately, and stay so when the waiting changes are added", () =>
    Effect.gen(function* () {
      const creator = yield* insertOwner(1)
      const followers = yield* Effect.forEach([2, 3, 4], (n) => insertOwner(n))
      assert.deepStrictEqual(yield* countsOf(creator), { followers: 0, following: 0, viewerFollows: null })
      for (const [n, follower] of followers.entries()) {
        yield* save(follower, creator, true)
        assert.strictEqual((yield* countsOf(creator)).followers, n + 1)
        assert.strictEqual((yield* get(`/api/followers/${creator}`)).body.total, n + 1)
        assert.strictEqual((yield* countsOf(follower)).following, 1)
        if (n === 1) yield* (yield* Counters).add
      }
      yield* save(followers[0]!, creator, false)
      const expected = { followers: 2, following: 0, viewerFollows: null }
      assert.deepStrictEqual(yield* countsOf(creator), expected)
      yield* (yield* Counters).add
      assert.deepStrictEqual(yield* countsOf(creator), expected)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select follower_count from owners where id = ${creator}`, [
        { follower_count: 2 }
      ])
    })
  )

  it.effect("Counts tell a viewer whether they follow, in a private answer", () =>
    Effect.gen(function* () {
      const viewer = yield* readerOf(1)
      const creator = yield* insertOwner(11)
      const anonymous = yield* get(`/api/follows/counts/${creator}`)
      assert.isNull(anonymous.body.viewerFollows)
      assert.strictEqual(
        anonymous.headers.get("cache-control"),
        "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
      )
      assert.isFalse((yield* seenBy(viewer, creator)).body.viewerFollows)
      yield* followsOf(viewer).follow(creator)
      const seen = yield* seenBy(viewer, creator)
      assert.deepStrictEqual(seen.body, { followers: 1, following: 0, viewerFollows: true })
      assert.strictEqual(seen.headers.get("cache-control"), "private, no-store")
      assert.isFalse((yield* seenBy(viewer, viewer.id)).body.viewerFollows)
      yield* followsOf(viewer).unfollow(creator)
      assert.isFalse((yield* seenBy(viewer, creator)).body.viewerFollows)
      assert.isNull((yield* countsOf(creator)).viewerFollows)
    })
  )

  it.effect("An invalid Authorization header fails", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const creator = yield* insertOwner(20)
      for (const path of [`followers/${creator}`, `following/${creator}`, `follows/counts/${creator}`]) {
        const refused = yield* client.send("GET", `/api/${path}`, { token: "nonsense" })
        assert.deepStrictEqual(refusalOf(refused), [401, "unauthorized"])
      }
    })
  )

  it.effect("Counts lose the follows of an owner who is removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two, three] = yield* Effect.all([insertOwner(30), insertOwner(31), insertOwner(32)])
      yield* save(one, two, true)
      yield* save(two, three, true)
      assert.deepInclude(yield* countsOf(two), { followers: 1, following: 1 })
      yield* sql`delete from owners where id = ${two}`
      yield* (yield* Counters).add
      assert.deepInclude(yield* countsOf(one), { followers: 0, following: 0 })
      assert.deepInclude(yield* countsOf(three), { followers: 0, following: 0 })
      assert.strictEqual((yield* get(`/api/followers/${three}`)).body.total, 0)
    })
  )
})
