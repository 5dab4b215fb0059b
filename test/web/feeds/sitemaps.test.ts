import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const CACHING = "public, max-age=3600, stale-while-revalidate=3600, stale-if-error=300"

const locations = Effect.fnUntraced(function* (path: string) {
  const { headers, status, text } = yield* (yield* TestClient).send("GET", path)
  assert.deepStrictEqual([status, headers.get("cache-control")], [200, CACHING], path)
  return [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url!.replace(BASE_URL, ""))
})

/** Inserts published Posts of the owner with these numbers. */
const insertPosts = Effect.fnUntraced(function* (owner: string, first: number, last: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into posts (id, owner_id, status, title, description, free_content_markdown, enable_paywall, slug, language,
      comments_enabled, creation_attested, created_at, updated_at, published_at)
    select ('00000000-0000-4000-8100-' || lpad(n::text, 12, '0'))::uuid, ${owner}::uuid, 'published', 'A', '', 'Text', false,
      'post-' || n, 'en', true, true, 'epoch', 'epoch', 'epoch'
    from generate_series(${first}::integer, ${last}::integer) n`
  yield* sql`insert into post_counts (post_id) select id from posts on conflict do nothing`
  yield* sql`
    insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
    select id, owner_id, 'human', published_at from posts on conflict do nothing`
})

layer(service(database("test_reading_sitemaps")))("sitemaps", (it) => {
  it.effect("Sitemaps have files of 10,000 addresses, and every page once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const owner = yield* insertOwner(1, { name: "Ada", handle: "ada_writes", published_post_count: 1 })
      yield* insertPosts(owner, 1, 10_000)
      const files = ["/sitemaps/posts.xml", "/sitemaps/authors.xml"]
      assert.deepStrictEqual(yield* locations("/sitemap.xml"), files)
      assert.strictEqual((yield* locations("/sitemaps/posts.xml")).length, 10_000)
      assert.deepStrictEqual(yield* locations("/sitemaps/authors.xml"), ["/@ada_writes"])

      yield* insertPosts(owner, 10_001, 10_001)
      yield* TestClock.adjust("1 hour")
      const second = "/sitemaps/posts.xml?after=00000000-0000-4000-8100-000000010000"
      assert.deepStrictEqual(yield* locations("/sitemap.xml"), [files[0], second, files[1]])
      const all = [...(yield* locations("/sitemaps/posts.xml")), ...(yield* locations(second))]
      assert.strictEqual(all.length, 10_001)
      assert.strictEqual(new Set(all).size, 10_001)
      assert.strictEqual(all.at(-1), "/@ada_writes/post-10001")
    })
  )

  it.effect("Sitemaps omit new accounts and Posts whose home is elsewhere, and refuse other cursors", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* TestClient
      yield* sql`update posts set canonical_url = 'https://ada.test/' where slug = 'post-1'`
      yield* sql`update owners set created_at = ${new Date(Date.UTC(2026, 10, 21))} where handle = 'ada_writes'`
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 2))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* locations("/sitemaps/authors.xml"), [])
      assert.deepStrictEqual(yield* locations("/sitemaps/posts.xml"), [])
      yield* sql`
        update post_counts set purchases = 1 where post_id = (select id from posts where slug = 'post-2')`
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* locations("/sitemaps/authors.xml"), ["/@ada_writes"])
      assert.deepStrictEqual(yield* locations("/sitemaps/posts.xml"), ["/@ada_writes/post-2"])
      yield* TestClock.adjust("1 day")
      assert.notInclude(yield* locations("/sitemaps/posts.xml"), "/@ada_writes/post-1")
      for (const after of ["x", "%00", "1'; select 1"])
        assert.strictEqual((yield* client.send("GET", `/sitemaps/posts.xml?after=${after}`)).status, 404)
    })
  )

  it.effect("The robots file says what is public, and where the sitemap is", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* (yield* TestClient).send("GET", "/robots.txt")
      assert.strictEqual(headers.get("content-type"), "text/plain; charset=utf-8")
      for (const line of [
        "User-agent: *",
        "Allow: /",
        "Content-Signal: search=yes, ai-input=yes, ai-train=no",
        `License: ${BASE_URL}/license.xml`,
        `Sitemap: ${BASE_URL}/sitemap.xml`
      ])
        assert.include(text.split("\n"), line)
      const left = [...text.matchAll(/^Disallow: (.+)$/gm)].map(([, path]) => path!)
      for (const { isHidden, isPage, isPrivate, template } of (yield* ServicePaths).all().values()) {
        const isLeft = left.some((path) => template === path || template.startsWith(`${path}/`))
        // A list that everyone reads tells nothing of hidden pages.
        if (isPage) assert.strictEqual(isLeft, isPrivate && !isHidden, template)
      }
      for (const path of ["/write", "/desk", "/auth", "/subscriptions", "/unsubscribe"])
        assert.include(left, path)
    })
  )
})
