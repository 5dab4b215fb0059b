import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { FollowingFeeds } from "../../../src/engagement/follows/FollowingFeeds.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const tokenOf = (url: string) => Redacted.make(/\/(ppf_\w+)\.xml$/.exec(url)?.[1] ?? "")

layer(service(database("test_following_feeds")))("private feeds", (it) => {
  it.effect("An owner makes, replaces and turns off the address of a feed, and only its hash is stored", () =>
    Effect.gen(function* () {
      const reader = yield* readerOf(1)
      const feeds = yield* FollowingFeeds
      const path = "/api/v1/follows/feed"
      assert.deepStrictEqual((yield* reader.send("GET", path)).body, { feed: null })
      const first = yield* reader.send("POST", path)
      assert.strictEqual(first.status, 201, first.text)
      assert.match(first.body.url, new RegExp(`^${BASE_URL}/feeds/following/ppf_[0-9A-Za-z]{43}\\.xml$`))
      assert.deepStrictEqual((yield* reader.send("GET", path)).body, { feed: first.body.feed })
      const holder = (url: string) => feeds.holder(tokenOf(url))
      assert.deepStrictEqual(
        yield* holder(first.body.url),
        Option.some({ owner: reader.id, id: first.body.feed.id })
      )
      const second = yield* reader.send("POST", path)
      assert.notStrictEqual(second.body.url, first.body.url)
      assert.deepStrictEqual(yield* holder(first.body.url), Option.none())
      assert.isTrue(Option.isSome(yield* holder(second.body.url)))

      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly text: string }>`select f::text as text from following_feeds f`
      assert.lengthOf(rows, 1)
      assert.notInclude(rows[0]!.text, Redacted.value(tokenOf(second.body.url)))

      for (let n = 0; n < 2; n++) {
        const ended = yield* reader.send("DELETE", path)
        assert.deepStrictEqual([ended.status, ended.body], [200, { feed: null }])
      }
      assert.deepStrictEqual(yield* holder(second.body.url), Option.none())
      const client = yield* TestClient
      for (const method of ["GET", "POST", "DELETE"])
        assert.strictEqual((yield* client.send(method, path)).status, 401, method)
    })
  )

  it.effect("Of many forms that replace one address only one makes another", () =>
    Effect.gen(function* () {
      const owner = sessionOf(yield* insertOwner(50))
      const feeds = yield* FollowingFeeds
      const press = Effect.fnUntraced(function* (former: Parameters<typeof feeds.replace>[1]) {
        const all = yield* Effect.all(
          Array.from({ length: 8 }, () => feeds.replace(owner, former)),
          { concurrency: "unbounded" }
        )
        const made = all.filter(Option.isSome)
        assert.lengthOf(made, 1)
        return made[0]!.value.feed
      })
      const first = yield* press(null)
      const second = yield* press(first.id)
      assert.deepStrictEqual(yield* feeds.read(owner), { feed: second })
      assert.deepStrictEqual(yield* feeds.replace(owner, first.id), Option.none())
      assert.deepStrictEqual(yield* feeds.replace(owner, null), Option.none())
    })
  )
})
