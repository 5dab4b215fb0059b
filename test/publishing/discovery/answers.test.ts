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

  it.effect("Parameters of campaigns are ignored, and known ones are still checked", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const { id } = yield* author.published()
      for (const path of [
        "/api/posts?per_page=1&utm_source=x&fbclid=",
        "/api/posts?UTM_Medium=mail&gclid=1&gclid=2&msclkid=x&mc_cid=x&mc_eid=x&ref=a&ref_src=b&_=1&_ga=2&gbraid=x",
        `/api/posts/${id}?utm_source=x`,
        `/api/posts/${id}/public-content?ref=1&ref=2`,
        `/api/posts/${id}/related?limit=2&utm_source=x`,
        "/api/categories?v=2",
        "/api/browse/categories?_=1",
        "/api/profile/author1?utm_source=x",
        "/api/profile/author1/summary?x[]=1",
        "/api/profile/author1/posts?utm_medium=mail",
        "/api/profile/handle-availability?handle=free_one&utm_campaign=no",
        `/api/posts/${id}/comments?fbclid=x`,
        `/api/posts/${id}/reactions?ref=x`,
        `/api/posts/${id}/access?ref=x`,
        "/api/leaderboards?board=creator_sales&utm_source=x",
        "/.well-known/x402/posts?ref=x"
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

  it.effect("An unknown parameter of a list is refused with the name that was probably meant", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const { id } = yield* author.published()
      for (const [path, field, meant] of [
        ["/api/posts?category_id=999", "category_id", "categoryId"],
        ["/api/posts?categoryid=999&utm_source=x", "categoryid", "categoryId"],
        ["/api/posts?langauge=en", "langauge", "language"],
        ["/api/posts?perPage=5", "perPage", "per_page"],
        ["/api/posts?page=1&colour=red", "colour", undefined],
        [`/api/posts?${"x".repeat(4_000)}=1`, "x".repeat(200), undefined],
        ["/api/posts?__proto__=1&constructor=2", "constructor", undefined],
        [`/api/posts/${id}/related?limits=2`, "limits", "limit"],
        ["/api/profile/author1/posts?sort=oldest", "sort", undefined],
        ["/api/profile/author1/activity?curser=x", "curser", "cursor"],
        ["/api/agents/map?limt=1", "limt", "limit"],
        [`/api/followers/${id}?perpage=1`, "perpage", "per_page"],
        ["/api/leaderboards?board=creator_sales&periode=week", "periode", "period"],
        [`/api/posts/${id}/reactions?reactions=heart`, "reactions", "reaction"],
        [`/api/posts/${id}/comments?thread_root_id=${id}`, "thread_root_id", "threadRootId"],
        [`/api/posts/${id}/access?versions=current`, "versions", "version"],
        ["/.well-known/x402/posts?offsett=1", "offsett", "offset"],
        ["/api/profile/handle-availability?handle=free_one&handel=x", "handel", "handle"]
      ] as const) {
        const { body, headers, status } = yield* client.send("GET", path)
        assert.deepStrictEqual([status, body.data.code], [400, "unknown_parameter"], path)
        const [error] = body.data.errors
        assert.deepStrictEqual([error.field, error.code], [field, "unknown"], path)
        assert.strictEqual(/Did you mean (\w+)\?$/.exec(error.message)?.[1], meant, path)
        if (meant !== undefined) assert.include(body.message, meant)
        assert.isNull(headers.get("etag"))
      }
      const both = yield* client.send("GET", "/api/posts?per_page=0&categorie=3")
      const [first, second] = both.body.data.errors.map((it: any) => `${it.field} ${it.code}`)
      assert.strictEqual(both.status, 400)
      assert.sameMembers([first, second], ["per_page out_of_range", "categorie unknown"])
      const own = yield* client.send("GET", "/api/v1/posts?stauts=draft", { token: author.key })
      assert.deepStrictEqual(refusalOf(own), [422, "validation", "stauts unknown"])
      assert.include(own.body.errors[0].message, "Did you mean status?")
      const draft = yield* client.send("POST", "/api/v1/posts", {
        token: author.key,
        body: { titel: "x", freeContentMarkdown: "x" }
      })
      assert.deepStrictEqual([draft.status, draft.body.errors[0].field], [422, "titel"])
      assert.include(draft.body.errors[0].message, "Did you mean title?")
    })
  )
})
