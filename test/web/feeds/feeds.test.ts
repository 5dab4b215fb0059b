import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { parseAtomFeed, parseJsonFeed, parseRssFeed } from "feedsmith"
import { documentOf, element } from "../../../src/web/feeds/xml.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const get = Effect.fnUntraced(function* (path: string) {
  const answer = yield* (yield* TestClient).send("GET", path)
  assert.strictEqual(answer.status, 200, path)
  return answer
})

const FEEDS = ["atom.xml", "rss.xml", "feed.json"] as const

layer(service(database("test_reading_feeds")))("feeds", (it) => {
  it.effect("A feed without Posts has no date but the one that Atom requires", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 5))
      for (const name of FEEDS) {
        const { text } = yield* get(`/c/travel/${name}`)
        assert.notInclude(text, "1970")
        assert.strictEqual(
          /<updated>(.*?)</.exec(text)?.[1],
          name === "atom.xml" ? "2026-11-20T05:00:00Z" : undefined
        )
        assert.notInclude(text, "lastBuildDate")
      }
    })
  )

  it.effect("Feed readers read the feeds in all formats", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const author = yield* authorOf(1)
      const { id, slug } = yield* author.published({
        title: "Pennies & <pounds>",
        description: "About & <them>",
        freeContentMarkdown: "# One\n\nA *penny* & a pound.",
        primaryCategoryId: 30,
        secondaryCategoryId: 29
      })
      const url = `${BASE_URL}/@${author.handle}/${slug}`
      for (const start of [`/@${author.handle}`, "/c/travel"]) {
        const atom = parseAtomFeed((yield* get(`${start}/atom.xml`)).text)
        assert.strictEqual(
          atom.links?.find(({ rel }) => rel === "self")?.href,
          `${BASE_URL}${start}/atom.xml`
        )
        const entry = atom.entries?.[0]
        assert.strictEqual(entry?.title?.value, "Pennies & <pounds>")
        assert.strictEqual(entry?.summary?.value, "About & <them>")
        assert.strictEqual(entry?.content?.value, "<h2>One</h2>\n<p>A <em>penny</em> &#x26; a pound.</p>")
        assert.deepInclude(entry, {
          id: `urn:uuid:${id}`,
          published: "2026-11-21T05:00:00Z",
          updated: "2026-11-21T05:00:00Z"
        })
        assert.deepStrictEqual(
          entry?.categories?.map(({ term }) => term),
          ["Travel", "Technology"]
        )

        const rss = parseRssFeed((yield* get(`${start}/rss.xml`)).text)
        const item = rss.items?.[0]
        assert.deepInclude(item, {
          title: "Pennies & <pounds>",
          link: url,
          pubDate: "Sat, 21 Nov 2026 05:00:00 +0000"
        })
        assert.deepStrictEqual(item?.guid, { value: `urn:uuid:${id}`, isPermaLink: false })

        const json = parseJsonFeed((yield* get(`${start}/feed.json`)).text)
        assert.deepInclude(json.items?.[0], { id: `urn:uuid:${id}`, url, language: "en" })
      }
    })
  )

  it.effect("Links of a Post lead to the same places from its page, the feeds and its Markdown", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(20)
      const { id, slug } = yield* author.published({
        title: "Links",
        freeContentMarkdown:
          "[up](other) [down](#part-two) [pay](nano:nano_3abc) [call](tel:+1) ![map](/map.png)\n\n# Part two"
      })
      const readAt = Effect.fnUntraced(function* (handle: string) {
        const url = `${BASE_URL}/@${handle}/${slug}`
        const page = (yield* get(`/@${handle}/${slug}`)).text
        assert.include(page, 'href="other"', "a browser knows from where it leads")
        assert.include(page, '<a href="#h-part-two">down</a>')
        for (const it of ['href="nano:nano_3abc"', 'href="tel:+1"', 'src="/map.png"'])
          assert.include(page, it)
        const entry = parseAtomFeed((yield* get(`/@${handle}/atom.xml`)).text).entries?.[0]
        assert.include(entry?.content?.value, `href="${url}#h-part-two"`)
        assert.include(entry?.content?.value, `href="${BASE_URL}/@${handle}/other"`)
        const twin = (yield* get(`/@${handle}/${slug}.md`)).text
        assert.include(
          twin,
          `[up](${BASE_URL}/@${handle}/other) [down](${url}#h-part-two) [pay](nano:nano_3abc)`
        )
        assert.include(twin, `![map](${BASE_URL}/map.png)`)
      })
      yield* readAt(author.handle)
      const client = yield* TestClient
      const renamed = yield* client.send("PATCH", "/api/v1/profile", {
        token: author.key,
        body: { handle: "renamed_author" }
      })
      assert.strictEqual(renamed.status, 200, id)
      yield* readAt("renamed_author")
    })
  )

  it.effect("Feeds are cached for five minutes, not sent twice, and change with their Posts", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(2)
      const { id } = yield* author.published({ title: "Before" })
      for (const name of FEEDS) {
        const path = `/@${author.handle}/${name}`
        const { headers, text } = yield* get(path)
        assert.strictEqual(
          headers.get("cache-control"),
          "public, max-age=300, stale-while-revalidate=300, stale-if-error=300"
        )
        assert.match(headers.get("content-type") ?? "", /^application\/(atom\+xml|rss\+xml|feed\+json)/)
        const known = yield* client.send("GET", path, { headers: { "if-none-match": headers.get("etag")! } })
        assert.strictEqual(known.status, 304)
        // No date tells that a Post was withdrawn or its author renamed.
        assert.isNull(headers.get("last-modified"))
        for (const later of [new Date(0).toUTCString(), "Sat, 21 Nov 2099 05:00:00 GMT", "yesterday", ""]) {
          const answer = yield* client.send("GET", path, { headers: { "if-modified-since": later } })
          assert.strictEqual(answer.status, 200, later)
        }
        assert.include(text, "Before")
      }
      yield* author.patch(id, { title: "After", freeContentMarkdown: "Changed" })
      for (const name of FEEDS) {
        const { text } = yield* get(`/@${author.handle}/${name}`)
        assert.include(text, "After")
        assert.include(text, "Changed")
        assert.notInclude(text, "Before")
      }
    })
  )

  it.effect("Feeds omit long texts, and redirect former handles", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(3)
      yield* author.published({
        title: "Long",
        description: "In short",
        freeContentMarkdown: "word ".repeat(30_000)
      })
      const { text } = yield* get(`/@${author.handle}/atom.xml`)
      assert.isBelow(text.length, 10_000)
      assert.include(text, "In short")
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { handle: "renamed_three" } })
      const moved = yield* client.send("GET", `/@${author.handle}/rss.xml`)
      assert.deepStrictEqual([moved.status, moved.headers.get("location")], [308, "/@renamed_three/rss.xml"])
      for (const path of ["/@nobody_here/atom.xml", "/c/none/feed.json", "/@renamed_three/other.xml"])
        assert.strictEqual((yield* client.send("GET", path)).status, 404, path)
    })
  )

  it.effect("Feeds of the whole site leave out new accounts for a day", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      yield* author.published({ title: "By a new account" })
      for (const name of FEEDS) assert.notInclude((yield* get(`/${name}`)).text, "By a new account")
      yield* TestClock.adjust("1 day")
      for (const name of FEEDS) assert.include((yield* get(`/${name}`)).text, "By a new account")
    })
  )
})

describe("XML", () => {
  it.effect("XML omits every character that it cannot hold", () =>
    Effect.gen(function* () {
      const text = "a\u0000\u0001\u000b\u001f\ufffe\uffff\ud800b\t\n<>&\"'😀"
      const written = yield* documentOf(element("a", { b: text }, text))
      // oxlint-disable-next-line no-control-regex
      assert.notMatch(written, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
      assert.include(written, "&lt;&gt;&amp;")
      assert.include(written, "😀")
    })
  )
})
