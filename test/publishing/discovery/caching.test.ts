import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Author, authorOf, refusalOf } from "../../support/actors/author.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const related = (postId: string) => `/api/posts/${postId}/related`

const pathsOf = (author: Author, postId: string) => [
  "/api/posts",
  "/api/posts?cursor=",
  `/api/posts/${postId}`,
  `/api/posts/${postId}/public-content`,
  related(postId),
  "/api/categories",
  "/api/browse/categories",
  `/api/profile/${author.handle}`,
  `/api/profile/${author.handle}/summary`,
  `/api/profile/${author.handle}/posts`,
  "/api/profile/handle-availability?handle=free_one"
]

layer(service(database("test_discovery_caching")))("caching of public reads", (it) => {
  it.effect("A public read has an ETag, a short life in caches, and 304 for callers that have it", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const { id } = yield* author.published()
      for (const path of pathsOf(author, id)) {
        const { headers, status } = yield* client.send("GET", path)
        const etag = headers.get("etag")!
        const caching = `public, max-age=${path === related(id) ? 300 : 15}, stale-while-revalidate=15, stale-if-error=300`
        assert.strictEqual(status, 200)
        assert.match(etag, /^"[!-~]+"$/, path)
        assert.strictEqual(headers.get("cache-control"), caching, path)
        assert.strictEqual(headers.get("vary"), "Authorization, Accept-Encoding")
        assert.strictEqual(headers.get("content-type"), "application/json")

        for (const known of [etag, `W/${etag}`, `"x", ${etag} , W/"y"`, "*", `"x",${etag}`]) {
          const cached = yield* client.send("GET", path, { headers: { "if-none-match": known } })
          assert.deepStrictEqual([cached.status, cached.text], [304, ""], `${path} ${known}`)
          assert.strictEqual(cached.headers.get("etag"), etag)
          assert.strictEqual(cached.headers.get("cache-control"), caching)
          assert.strictEqual(cached.headers.get("vary"), "Authorization, Accept-Encoding")
        }
        for (const other of ['"other"', 'W/"x", "y"', etag.slice(1, -1), ""]) {
          const full = yield* client.send("GET", path, { headers: { "if-none-match": other } })
          assert.strictEqual(full.status, 200, `${path} ${other}`)
        }
        const head = yield* client.send("HEAD", path)
        assert.deepStrictEqual([head.status, head.text, head.headers.get("etag")], [200, "", etag], path)
        const headCached = yield* client.send("HEAD", path, { headers: { "if-none-match": etag } })
        assert.strictEqual(headCached.status, 304)
      }
    })
  )

  it.effect("The ETag changes with the content, and only with it", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(2)
      const { id } = yield* author.published()
      const etags = (path: string) =>
        Effect.map(client.send("GET", path), ({ headers }) => headers.get("etag"))
      const paths = ["/api/posts", `/api/posts/${id}`, `/api/posts/${id}/public-content`]
      for (const path of paths) {
        const before = yield* etags(path)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* etags(path), before, path)
        yield* author.patch(id, { title: `Changed for ${path}` })
        assert.notStrictEqual(yield* etags(path), before, path)
      }
      const profile = `/api/profile/${author.handle}`
      const before = yield* etags(profile)
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { bio: "New" } })
      assert.notStrictEqual(yield* etags(profile), before)
      const counts = yield* etags("/api/browse/categories")
      yield* author.unpublish(id)
      assert.notStrictEqual(yield* etags("/api/browse/categories"), counts)
    })
  )

  it.effect("A public read with an owner session is private and not stored", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(3)
      const { id } = yield* author.published()
      const { accessToken } = yield* signIn(4)
      for (const path of pathsOf(author, id)) {
        const anonymous = yield* client.send("GET", path)
        const { headers, status, text } = yield* client.send("GET", path, { token: accessToken })
        assert.deepStrictEqual([status, text], [200, anonymous.text], path)
        assert.strictEqual(headers.get("cache-control"), "private, no-store", path)
        assert.strictEqual(headers.get("vary"), "Authorization", path)
      }
    })
  )

  it.effect("An invalid Authorization header is 401 and never anonymous (4.5, 5.3)", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(5)
      const { id } = yield* author.published()
      const gone = yield* signIn(6)
      yield* client.send("POST", "/api/v1/auth/logout", { token: gone.accessToken })
      const invalid = [
        "",
        "garbage",
        "Bearer",
        "Bearer ",
        "Bearer garbage",
        "Basic dXNlcjpwYXNz",
        `Bearer ${author.key}x`,
        `Bearer ${author.refreshToken}`,
        `Bearer ${author.accessToken} `.replace(/.{4} $/, "AAAA"),
        `Bearer ${gone.accessToken}`,
        `${author.accessToken}`,
        `Bearer ${author.accessToken} ${author.accessToken}`
      ]
      const refuse = Effect.fnUntraced(function* (authorization: string) {
        for (const path of [...pathsOf(author, id), "/api/posts/nonsense", "/api/posts?page=0"]) {
          const headers = { authorization, "if-none-match": "*", cookie: "session=1" }
          const answer = yield* client.send("GET", path, { headers })
          assert.deepStrictEqual(refusalOf(answer), [401, "unauthorized"], `${path} ${authorization}`)
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
          assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
        }
      })
      for (const authorization of invalid) yield* refuse(authorization)
      assert.strictEqual((yield* client.send("GET", "/api/posts", { token: author.accessToken })).status, 200)
      yield* TestClock.adjust("15 minutes")
      yield* refuse(`Bearer ${author.accessToken}`)
    })
  )

  it.effect("Caches do not store a 404", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      for (const path of ["/api/posts/nonsense", "/api/profile/nobody", "/api/posts?page=0"]) {
        const { headers } = yield* client.send("GET", path)
        assert.strictEqual(headers.get("cache-control"), "private, no-store", path)
        assert.isNull(headers.get("etag"))
      }
    })
  )
})
