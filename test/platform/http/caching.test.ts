import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

/** Longest time for which caches may show a Post or an account while the service fails, in seconds. */
const OF_ACCOUNTS = 300

const secondsOf = (caching: string, directive: string) =>
  Number(new RegExp(`(?:^|, )${directive}=(\\d+)`).exec(caching)?.[1] ?? "0")

layer(service(database("test_http_caching")))("public answers in the caches of others", (it) => {
  it.effect("Answers that show accounts outlive a failure of the service by five minutes at most", () =>
    Effect.gen(function* () {
      const { send } = yield* TestClient
      const author = yield* authorOf(1)
      const { id, slug } = yield* author.published({})
      const at = `/@${author.handle}`
      const paths = [
        "/api/posts",
        `/api/posts/${id}`,
        `/api/posts/${id}/related`,
        `/api/posts/${id}/comments`,
        `/api/posts/${id}/attachments`,
        `/api/profile/${author.handle}`,
        "/api/leaderboards?board=creator_sales",
        "/.well-known/x402/posts",
        "/",
        "/newest",
        "/search?q=word",
        at,
        `${at}.md`,
        `${at}/${slug}`,
        `${at}/${slug}.md`,
        `${at}/${slug}/comments`,
        "/atom.xml",
        `${at}/rss.xml`,
        "/feed.json",
        "/sitemap.xml",
        "/sitemaps/posts.xml",
        "/sitemaps/authors.xml"
      ]
      for (const path of paths) {
        const { headers, status } = yield* send("GET", path)
        assert.strictEqual(status, 200, path)
        const caching = headers.get("cache-control") ?? ""
        assert.match(caching, /^public, max-age=\d+, stale-while-revalidate=\d+, stale-if-error=300$/, path)
        assert.isAtMost(secondsOf(caching, "stale-if-error"), OF_ACCOUNTS, path)
        const whileAsking = secondsOf(caching, "stale-while-revalidate")
        assert.isAtMost(whileAsking, Math.max(60, secondsOf(caching, "max-age")), path)
      }
    })
  )

  it.effect("Texts of a release outlive a failure of the service by a day", () =>
    Effect.gen(function* () {
      const { send } = yield* TestClient
      for (const path of ["/docs", "/openapi.json", "/robots.txt", "/favicon.ico", "/problems/not-found"]) {
        const { headers, status } = yield* send("GET", path)
        assert.strictEqual(status, 200, path)
        assert.strictEqual(secondsOf(headers.get("cache-control") ?? "", "stale-if-error"), 86_400, path)
      }
    })
  )

  it.effect("Private answers, missing things, moved handles and keys do not outlive a failure", () =>
    Effect.gen(function* () {
      const { send } = yield* TestClient
      const author = yield* authorOf(2)
      const { id } = yield* author.published({})
      const token = author.accessToken
      const answers = {
        "an own read": yield* send("GET", `/api/posts/${id}`, { token }),
        "an account": yield* send("GET", "/api/v1/me", { token }),
        "a private page": yield* send("GET", "/desk"),
        "access to a Post": yield* send("GET", `/api/posts/${id}/access`),
        "negotiated text": yield* send("GET", `/@${author.handle}`, { headers: { accept: "text/markdown" } }),
        "a missing Post": yield* send("GET", "/api/posts/01990000-0000-7000-8000-000000000000"),
        "a missing page": yield* send("GET", "/@nobody_here", { headers: { accept: "text/html" } }),
        "a missing path": yield* send("GET", "/nowhere"),
        keys: yield* send("GET", "/.well-known/jwks.json"),
        health: yield* send("GET", "/health/ready")
      }
      for (const [name, { headers }] of Object.entries(answers))
        assert.notMatch(headers.get("cache-control") ?? "stale", /stale/, name)
    })
  )
})
