import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { FeedHubMemory } from "../../../layers/testing/FeedHubMemory.ts"
import * as Hub from "../../../layers/testing/FeedHubMemory.ts"
import { FeedChanges } from "../../../src/platform/feed-changes/FeedChanges.ts"
import { FeedChangesWorker, feedWork } from "../../../src/platform/feed-changes/FeedChangesWorker.ts"
import { HubRefused, HubUnavailable } from "../../../src/platform/ports/FeedHub.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const withHub = service(database("test_feed_changes")).pipe(Layer.provideMerge(Hub.layer))

/** Does all work that is due, one claim after the other, as the worker does. */
const drain = Effect.gen(function* () {
  const { claim, leaseMillis, run } = feedWork(yield* FeedChanges)
  for (;;) {
    const at = yield* now
    const [change] = yield* claim({ at, leaseUntil: later(at, leaseMillis), limit: 1 })
    if (change === undefined) return
    yield* run(change)
  }
})

/** Returns the pings that this work sends, without the origin and without an order. */
const pinged = Effect.gen(function* () {
  const { pings } = yield* FeedHubMemory
  const before = (yield* pings).length
  yield* drain
  return (yield* pings)
    .slice(before)
    .map((url) => url.replace(BASE_URL, ""))
    .toSorted()
})

const formats = (...feeds: ReadonlyArray<string>) =>
  feeds.flatMap((feed) => ["atom.xml", "feed.json", "rss.xml"].map((name) => `${feed}/${name}`)).toSorted()

const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly feed: string; readonly attempts: number }>`
    select feed, attempts from feed_changes order by feed`
})

/** A word of the paid section, and of no other text. */
const MARKER = "zanzibarquokka"

layer(withHub)("changed feeds", (it) => {
  it.effect("The hub learns of feeds that a Post enters, changes in or leaves, but of no draft", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const own = `/@${author.handle}`
      const { id } = yield* author.draft({ title: "Draft", primaryCategoryId: 30, secondaryCategoryId: 29 })
      yield* author.patch(id, { title: "Still a draft" })
      assert.deepStrictEqual(yield* pinged, [])

      yield* author.publish(id)
      assert.deepStrictEqual(yield* pinged, formats("", own, "/c/travel", "/c/technology"))
      assert.deepStrictEqual(yield* waiting, [])

      yield* author.patch(id, { primaryCategoryId: 12, secondaryCategoryId: null })
      assert.deepStrictEqual(yield* pinged, formats("", own, "/c/travel", "/c/technology", "/c/fiction"))

      yield* author.unpublish(id)
      assert.deepStrictEqual(yield* pinged, formats("", own, "/c/fiction"))
    })
  )

  it.effect("A change that is not saved notifies no hub", () =>
    Effect.gen(function* () {
      const { announcing } = yield* FeedChanges
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(2)
      const { id } = yield* author.published({ title: "Public" })
      yield* pinged
      const failed = announcing(Effect.succeed([""]))(
        Effect.andThen(sql`update posts set title = 'Lost' where id = ${id}`, Effect.fail("refused" as const))
      )
      assert.strictEqual(yield* Effect.flip(failed), "refused")
      assert.deepStrictEqual(yield* waiting, [])
      const rows = yield* sql<{ readonly title: string }>`select title from posts where id = ${id}`
      assert.deepStrictEqual(rows[0], { title: "Public" })
    })
  )

  it.effect("An edit of a paid section sends the addresses of feeds, and none of its words", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(3)
      const { id } = yield* author.published({
        freeContentMarkdown: "The teaser.",
        paidContentMarkdown: "Sold",
        enablePaywall: true,
        priceXno: "0.25"
      })
      yield* pinged
      yield* author.patch(id, { paidContentMarkdown: MARKER })
      const stored = yield* sql`select * from feed_changes`
      assert.isNotEmpty(stored)
      assert.notInclude(JSON.stringify(stored), MARKER)
      const sent = yield* pinged
      for (const address of sent) {
        const { status, text } = yield* (yield* TestClient).send("GET", address)
        assert.strictEqual(status, 200, address)
        assert.notInclude(text, MARKER, address)
      }
      assert.isNotEmpty(sent)
    })
  )

  it.effect("Many changes of a feed together are one ping, and a later one is another", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      for (let n = 0; n < 5; n++) yield* author.published({ title: `Number ${n}` })
      assert.strictEqual((yield* waiting).filter(({ feed }) => feed === "").length, 5)
      const sent = yield* pinged
      assert.deepStrictEqual(sent, [...new Set(sent)])
      yield* author.published({ title: "Later" })
      assert.includeMembers([...(yield* pinged)], formats("", `/@${author.handle}`))
    })
  )

  it.effect("A hub that does not answer is asked again later, and left alone for a minute", () =>
    Effect.gen(function* () {
      const { asked, failNext } = yield* FeedHubMemory
      const author = yield* authorOf(5)
      yield* author.published({ primaryCategoryId: 30, secondaryCategoryId: 29 })
      const before = yield* asked
      yield* failNext(new HubUnavailable({ reason: "unreachable" }), 3)
      assert.deepStrictEqual(yield* pinged, [])
      // Four feeds are due. After three failures the fourth waits.
      assert.strictEqual((yield* asked) - before, 3)
      assert.strictEqual((yield* waiting).length, 4)
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* pinged, [])
      assert.strictEqual((yield* asked) - before, 3)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* pinged, formats("", `/@${author.handle}`, "/c/travel", "/c/technology"))
      assert.deepStrictEqual(yield* waiting, [])
    })
  )

  it.effect("A feed that the hub refuses is sent once, and a change is forgotten after a day", () =>
    Effect.gen(function* () {
      const changes = yield* FeedChanges
      const { asked, failNext } = yield* FeedHubMemory
      const author = yield* authorOf(6)
      const { id } = yield* author.published({ primaryCategoryId: 30, secondaryCategoryId: null })
      const before = yield* asked
      yield* failNext(new HubRefused({ status: 400 }), 3)
      yield* drain
      assert.strictEqual((yield* asked) - before, 3)
      assert.deepStrictEqual(yield* waiting, [])

      yield* author.patch(id, { title: "Unheard" })
      yield* changes.sweep
      assert.strictEqual((yield* waiting).length, 3)
      yield* TestClock.adjust("25 hours")
      yield* changes.sweep
      assert.deepStrictEqual(yield* waiting, [])
    })
  )

  it.effect("A worker sends the pings", () =>
    Effect.gen(function* () {
      const { pings } = yield* FeedHubMemory
      yield* drain
      yield* Layer.build(FeedChangesWorker)
      const author = yield* authorOf(7)
      yield* author.published()
      const own = `${BASE_URL}/@${author.handle}/atom.xml`
      yield* eventually(
        "a ping",
        Effect.map(pings, (all) => all.includes(own))
      )
    })
  )

  it.effect("A feed names its hub", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { text: atom } = yield* client.send("GET", "/atom.xml")
      assert.include(atom, '<link rel="hub" href="https://hub.test/"')
      const { text: rss } = yield* client.send("GET", "/rss.xml")
      assert.include(rss, '<atom:link rel="hub" href="https://hub.test/"')
      const { headers, text: json } = yield* client.send("GET", "/feed.json")
      assert.deepStrictEqual(JSON.parse(json).hubs, [{ type: "WebSub", url: "https://hub.test/" }])
      assert.strictEqual(
        headers.get("link"),
        `<https://hub.test/>; rel="hub", <${BASE_URL}/feed.json>; rel="self"`
      )
    })
  )
})

layer(service(database("test_feed_changes_off")))("a service without a hub", (it) => {
  it.effect("A service without a hub keeps no changes, and its feeds name none", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      yield* author.published()
      assert.deepStrictEqual(yield* waiting, [])
      const { headers, text } = yield* (yield* TestClient).send("GET", `/@${author.handle}/atom.xml`)
      assert.notInclude(text, 'rel="hub"')
      assert.isNull(headers.get("link"))
    })
  )
})
