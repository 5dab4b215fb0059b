import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const ODD = [
  "x".repeat(31),
  "x".repeat(101),
  "x".repeat(513),
  "%F0%9F%98%80".repeat(50),
  "a%2Fb",
  "%00",
  "..%2f",
  "~"
]

layer(service(database("test_discovery_answers")))("answers of public reads (4.5)", (it) => {
  it.effect("An impossible id or handle of any length is a 404 of the ordinary JSON family", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      for (const odd of ODD) {
        for (const path of [
          `/api/profile/${odd}`,
          `/api/profile/${odd}/summary`,
          `/api/profile/${odd}/posts`,
          `/api/posts/${odd}`,
          `/api/posts/${odd}/public-content`,
          `/api/posts/${odd}/related`
        ]) {
          for (const method of ["GET", "HEAD"]) {
            const answer = yield* client.send(method, path)
            assert.strictEqual(answer.status, 404, `${method} ${path}`)
            assert.strictEqual(answer.headers.get("content-type"), "application/json", path)
            if (method === "GET") assert.deepStrictEqual(refusalOf(answer), [404, "not_found"], path)
            else assert.strictEqual(answer.text, "", path)
            assert.strictEqual(answer.headers.get("vary"), "Authorization", path)
            assert.isNull(answer.headers.get("etag"), path)
          }
        }
      }
    })
  )

  it.effect("Errors vary by Authorization, and an If-None-Match does not make them 304", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const errors: ReadonlyArray<readonly [string, number]> = [
        ["/api/posts?page=0", 422],
        ["/api/posts?cursor=garbage", 422],
        ["/api/posts/01890000-0000-7000-8000-000000000000", 404],
        ["/api/profile/nobody/posts?page=2", 404]
      ]
      for (const [path, status] of errors) {
        const answer = yield* client.send("GET", path, { headers: { "if-none-match": "*" } })
        assert.strictEqual(answer.status, status, path)
        assert.strictEqual(answer.headers.get("vary"), "Authorization", path)
        assert.isNull(answer.headers.get("etag"), path)
      }
      const unauthorized = yield* client.send("GET", "/api/posts", { headers: { authorization: "Bearer x" } })
      assert.strictEqual(unauthorized.status, 401)
      assert.strictEqual(unauthorized.headers.get("vary"), "Authorization")
    })
  )

  it.effect("Unknown query parameters are ignored, and known ones are still checked", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const { id } = yield* author.published()
      for (const path of [
        "/api/posts?per_page=1&utm_source=x&fbclid=",
        `/api/posts/${id}?utm_source=x`,
        `/api/posts/${id}/public-content?ref=1&ref=2`,
        `/api/posts/${id}/related?limit=2&utm_source=x`,
        "/api/categories?v=2",
        "/api/browse/categories?_=1",
        "/api/profile/author1?utm_source=x",
        "/api/profile/author1/summary?x[]=1",
        "/api/profile/author1/posts?sort=oldest&utm_medium=mail",
        "/api/profile/handle-availability?handle=free_one&cache=no"
      ]) {
        const { status, text } = yield* client.send("GET", path)
        assert.strictEqual(status, 200, `${path} ${text}`)
      }
      const wrong = yield* client.send("GET", "/api/posts?utm_source=x&per_page=0")
      assert.deepStrictEqual(refusalOf(wrong), [422, "validation", "per_page out_of_range"])
      const own = yield* client.send("GET", "/api/v1/posts?utm_source=x", { token: author.key })
      assert.deepStrictEqual(refusalOf(own), [422, "validation", "utm_source unknown"])
    })
  )
})
