import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { parseAtomFeed } from "feedsmith"
import { recorder } from "../../nothing-secret/recorder.ts"
import { assertAbsent } from "../../nothing-secret/search.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

/** A reader who follows an author, and the path of the reader's private feed. */
const scene = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* authorOf(number)
  const { body } = yield* client.send("GET", `/api/profile/${author.handle}`)
  const reader = yield* readerOf(number + 1)
  yield* reader.send("PUT", `/api/v1/follows/${body.id}`, { body: { following: true } })
  const issued = yield* reader.send("POST", "/api/v1/follows/feed")
  const url: string = issued.body.url
  const get = (headers: Readonly<Record<string, string>> = {}) =>
    client.send("GET", new URL(url).pathname, { headers })
  return { author, reader, url, get, feedId: issued.body.feed.id as string }
})

layer(service(database("test_web_private_feed"), 1, { adminToken: ADMIN_TOKEN }))("A private feed", (it) => {
  it.effect("A feed reader reads the new posts of followed authors, and only the teasers of paid ones", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const { author, feedId, get, url } = yield* scene(1)
      const none = yield* get()
      assert.strictEqual(none.status, 200)
      const { id } = yield* author.published({ title: "Free & <open>", freeContentMarkdown: "The *text*." })
      yield* TestClock.adjust("1 second")
      yield* author.published({
        title: "Sold",
        freeContentMarkdown: "The teaser.",
        paidContentMarkdown: "Never shown.",
        enablePaywall: true,
        priceXno: "0.25"
      })
      const { headers, text } = yield* get()
      assert.notInclude(text, "Never shown")
      assert.notInclude(text, "ppf_")
      assert.notInclude(text, url)
      const atom = parseAtomFeed(text)
      assert.strictEqual(atom.id, `urn:uuid:${feedId}`)
      assert.deepStrictEqual(
        atom.entries?.map(({ title }) => title?.value),
        ["Sold", "Free & <open>"]
      )
      assert.include(atom.entries?.[0]?.content?.value, "The teaser.")
      assert.include(atom.entries?.[0]?.content?.value, "Keep reading for 0.25 XNO")
      assert.strictEqual(atom.entries?.[1]?.id, `urn:uuid:${id}`)
      assert.isUndefined(atom.links?.find(({ rel }) => rel === "self"))
      assert.strictEqual(
        atom.links?.find(({ rel }) => rel === "alternate")?.href,
        `${BASE_URL}/desk/following`
      )
      assert.strictEqual(headers.get("cache-control"), "private, max-age=300")
      assert.strictEqual(headers.get("x-robots-tag"), "noindex")
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      assert.isNull(headers.get("access-control-allow-origin"))
      assert.match(headers.get("content-type")!, /^application\/atom\+xml/)
    })
  )

  it.effect("A feed that has not changed is not sent again, in any coding", () =>
    Effect.gen(function* () {
      const { author, get } = yield* scene(11)
      yield* author.published({ freeContentMarkdown: "Words. ".repeat(400) })
      const first = yield* get()
      const etag = first.headers.get("etag")!
      const coded = yield* get({ "accept-encoding": "br" })
      assert.strictEqual(coded.headers.get("content-encoding"), "br")
      assert.strictEqual(coded.headers.get("etag"), etag)
      const again = yield* get({ "if-none-match": etag, "accept-encoding": "gzip" })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
      assert.strictEqual(again.headers.get("cache-control"), "private, max-age=300")
      yield* TestClock.adjust("1 second")
      yield* author.published({ title: "More" })
      assert.include((yield* get({ "if-none-match": etag })).text, "More")
    })
  )

  it.effect(
    "A feed shows the older posts of an author who is followed later, for any date that its reader sends",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 6))
        const older = yield* authorOf(18)
        yield* older.published({ title: "Older" })
        const { body } = yield* (yield* TestClient).send("GET", `/api/profile/${older.handle}`)
        yield* TestClock.adjust("1 hour")
        const { author, get, reader } = yield* scene(15)
        yield* author.published({ title: "Newer" })
        const first = yield* get()
        assert.isNull(first.headers.get("last-modified"))
        yield* reader.send("PUT", `/api/v1/follows/${body.id}`, { body: { following: true } })
        const since = first.headers.get("last-modified") ?? "Sat, 21 Nov 2026 07:00:00 GMT"
        const second = yield* get({ "if-modified-since": since })
        assert.deepStrictEqual([second.status, second.text.includes("Older")], [200, true])
      })
  )

  it.effect("An address that is unknown, replaced, turned off or of a restricted account is not found", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { get, reader, url } = yield* scene(21)
      const { pathname } = new URL(url)
      assert.strictEqual((yield* get()).status, 200)
      const wrong = [
        pathname.replace(/.\.xml$/, "_.xml"),
        pathname.replace(".xml", ""),
        pathname.replace(".xml", ".json"),
        pathname.toUpperCase(),
        "/feeds/following/.xml",
        "/feeds/following/%00.xml",
        `/feeds/following/${"x".repeat(2_000)}.xml`
      ]
      for (const path of wrong) assert.strictEqual((yield* client.send("GET", path)).status, 404, path)
      assert.strictEqual((yield* client.send("POST", pathname)).status, 405)
      yield* reader.send("POST", "/api/v1/follows/feed")
      const replaced = yield* get()
      assert.strictEqual(replaced.status, 404)
      assert.strictEqual(replaced.headers.get("referrer-policy"), "no-referrer")
      assert.strictEqual(replaced.headers.get("cache-control"), "private, no-store")

      const other = yield* scene(31)
      yield* other.reader.send("DELETE", "/api/v1/follows/feed")
      assert.strictEqual((yield* other.get()).status, 404)
      const last = yield* scene(41)
      yield* (yield* administrator())["accounts.restrict"]({ handle: last.reader.handle, reason: "Spam" })
      assert.strictEqual((yield* last.get()).status, 404)
    })
  )

  it.effect("The address of a feed is in no log and no span", () =>
    Effect.gen(function* () {
      const { seen, watched } = recorder()
      const { url } = yield* Effect.gen(function* () {
        const made = yield* scene(51)
        yield* made.get()
        yield* made.get({ "if-none-match": "*" })
        return made
      }).pipe(Effect.provide(watched))
      const { logs, spans } = seen()
      assert.isAbove(logs.length, 3)
      assert.isAbove(spans.length, 3)
      const secret = /ppf_(\w+)\.xml$/.exec(url)![1]!
      assertAbsent([secret], "logs", logs)
      assertAbsent([secret], "spans", spans)
    })
  )
})
