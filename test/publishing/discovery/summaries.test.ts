import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type Author, authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const paid = { paidContentMarkdown: "Paid", enablePaywall: true, priceXno: "0.25" }

const get = Effect.fnUntraced(function* (path: string) {
  return yield* (yield* TestClient).send("GET", path)
})

/** The titles of a list, and its total. */
const listed = (query: string) =>
  Effect.map(get(`/api/posts?${query}`), ({ body, text }) => {
    assert.isNotNull(body?.data, text)
    return {
      titles: body.data.map((it: any) => it.title as string) as ReadonlyArray<string>,
      total: body.total as number
    }
  })

/** Posts that differ in everything that is filtered by, published a second apart. */
const seed = Effect.fnUntraced(function* (human: Author, agent: Author) {
  const client = yield* TestClient
  yield* client.send("POST", "/api/v1/profile/declare-agent", { token: agent.key })
  const posts: ReadonlyArray<readonly [Author, object]> = [
    [human, { title: "A", primaryCategoryId: 1, secondaryCategoryId: 2 }],
    [human, { title: "B", primaryCategoryId: 2, ...paid }],
    [human, { title: "C", primaryCategoryId: 2, language: "pt-BR" }],
    [agent, { title: "D", primaryCategoryId: 2, language: "pt", ...paid }],
    [agent, { title: "E", primaryCategoryId: 1, description: "zebra" }],
    [agent, { title: "F", primaryCategoryId: 3, language: "PT-br" }]
  ]
  for (const [author, body] of posts) {
    yield* TestClock.adjust("1 second")
    yield* author.published(body)
  }
  yield* human.draft({ title: "Draft zebra" })
  const withdrawn = yield* human.published({ title: "Withdrawn zebra" })
  yield* human.unpublish(withdrawn.id)
})

layer(service(database("test_discovery_summaries")))("published summaries (4.5)", (it) => {
  it.effect("A summary has exactly the members of the contract", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const author = yield* authorOf(1)
      const { id } = yield* author.published({
        ...paid,
        title: "Members",
        secondaryCategoryId: 4,
        creationDetails: "By hand",
        freeContentMarkdown: "Teaser ![](https://img.test/a.png)"
      })
      const client = yield* TestClient
      const { body: profile } = yield* client.send("GET", `/api/profile/${author.handle}`)
      const summary = {
        id,
        title: "Members",
        description: "What a penny buys",
        slug: "members",
        url: "https://press.test/@author1/members",
        enablePaywall: true,
        priceRaw: "250000000000000000000000000000",
        primaryCategoryId: 3,
        secondaryCategoryId: 4,
        language: "en",
        ogImageEffective: "https://img.test/a.png",
        creationMethod: "human_written",
        creationDetails: "By hand",
        publishedAt: "2026-11-21T05:00:00.000000Z",
        updatedAt: "2026-11-21T05:00:00.000001Z",
        author: { id: profile.id, name: "Author 1", handle: "author1", avatarUrl: null, authorKind: "human" },
        counts: { comments: 0, reactions: 0, purchases: 0, tips: 0 }
      }
      const { body } = yield* get("/api/posts")
      assert.deepStrictEqual(body, { data: [summary], total: 1, page: 1, per_page: 20 })
      const single = yield* get(`/api/posts/${id}`)
      assert.deepStrictEqual(single.body, {
        ...summary,
        freeContentMarkdown: "Teaser ![](https://img.test/a.png)"
      })
      const content = yield* get(`/api/posts/${id}/public-content`)
      assert.deepStrictEqual(content.body, {
        post: summary,
        available: false,
        reason: "paid",
        contentMarkdown: null
      })
      assert.notInclude(single.text + content.text, "Paid")
      yield* author.unpublish(id)
    })
  )

  it.effect("Summaries are newest first, with every filter alone and combined", () =>
    Effect.gen(function* () {
      yield* seed(yield* authorOf(2), yield* authorOf(3))
      const expected: Readonly<Record<string, string>> = {
        "": "FEDCBA",
        "sort=newest": "FEDCBA",
        "categoryId=1": "EA",
        "categoryId=2": "DCBA",
        "categoryId=30": "",
        "categoryId=2147483647": "",
        "handle=author2": "CBA",
        "handle=AUTHOR3": "FED",
        "handle=nobody": "",
        "handle=": "",
        "authorKind=agent": "FED",
        "authorKind=human": "CBA",
        "access=free": "FECA",
        "access=paid": "DB",
        "language=en": "EBA",
        "language=pt": "FDC",
        "language=PT-BR": "FC",
        "language=p": "",
        "language=%25": "",
        "language=_t": "",
        "q=zebra": "E",
        "q=zebra&authorKind=human": "",
        "categoryId=2&access=paid": "DB",
        "categoryId=2&access=paid&handle=author2": "B",
        "categoryId=2&authorKind=agent&language=pt": "D",
        "handle=author3&access=free&categoryId=1&language=en&authorKind=agent&q=zebra": "E",
        "handle=author2&authorKind=agent": ""
      }
      for (const [query, titles] of Object.entries(expected)) {
        const found = yield* listed(query)
        assert.deepStrictEqual(found, { titles: [...titles], total: titles.length }, query)
        const slice = yield* get(`/api/posts?cursor=&${query}`)
        assert.deepStrictEqual(
          slice.body.data.map((it: any) => it.title),
          [...titles],
          query
        )
        assert.deepStrictEqual(slice.body.pagination, { limit: 20, nextCursor: null, hasMore: false })
        const second = yield* get(`/api/posts?per_page=1&page=2&${query}`)
        assert.deepStrictEqual(
          second.body.data.map((it: any) => it.title),
          [...titles].slice(1, 2),
          query
        )
        assert.strictEqual(second.body.total, titles.length, query)
      }
    })
  )

  it.effect("Summaries can be sorted by reactions and purchases", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update post_counts set heart = ascii(title) % 3, purchases = ascii(title) % 2
        from posts where posts.id = post_id`
      assert.deepStrictEqual((yield* listed("sort=most_reacted")).titles, [..."DAFCEB"])
      assert.deepStrictEqual((yield* listed("sort=most_purchased")).titles, [..."ECAFDB"])
      assert.deepStrictEqual((yield* listed("sort=most_purchased&access=free&categoryId=1")).titles, [
        ..."EA"
      ])
    })
  )

  it.effect("A query that is not valid is refused in the ordinary JSON family", () =>
    Effect.gen(function* () {
      const refused: Readonly<Record<string, string>> = {
        "per_page=0": "per_page out_of_range",
        "per_page=51": "per_page out_of_range",
        "page=0": "page out_of_range",
        "page=1001": "page out_of_range",
        "categoryId=0": "categoryId out_of_range",
        "categoryId=x": "categoryId invalid",
        "authorKind=robot": "authorKind invalid",
        "access=all": "access invalid",
        "sort=oldest": "sort invalid",
        "q=": "q too_short",
        "q=%20": "q too_short",
        [`q=${"x".repeat(201)}`]: "q too_long",
        "q=%00": "q invalid",
        "language=%00": "language invalid",
        [`handle=${"h".repeat(31)}`]: "handle too_long",
        "sort=": "sort invalid"
      }
      for (const [query, error] of Object.entries(refused)) {
        assert.deepStrictEqual(
          refusalOf(yield* get(`/api/posts?${query}`)),
          [422, "validation", error],
          query
        )
      }
      const several = yield* get("/api/posts?page=0&sort=oldest")
      assert.deepStrictEqual(refusalOf(several), [422, "validation", "page out_of_range", "sort invalid"])
      for (const query of ["per_page=1", "per_page=50", "page=1000", `q=${"x".repeat(200)}`]) {
        assert.strictEqual((yield* get(`/api/posts?${query}`)).status, 200, query)
      }
    })
  )

  it.effect("The public-content of a free Post is its whole text, from either section", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const texts: ReadonlyArray<readonly [object, string]> = [
        [{ freeContentMarkdown: "Free" }, "Free"],
        [{ freeContentMarkdown: null, paidContentMarkdown: "Open" }, "Open"],
        [{ freeContentMarkdown: "Free", paidContentMarkdown: "Open" }, "Free\n\nOpen"]
      ]
      for (const [body, text] of texts) {
        const { id } = yield* author.published(body)
        const { body: content } = yield* get(`/api/posts/${id}/public-content`)
        assert.deepInclude(content, { available: true, reason: null, contentMarkdown: text })
        assert.strictEqual((yield* get(`/api/posts/${id}`)).body.freeContentMarkdown, text)
      }
      const { id } = yield* author.published({ ...paid, freeContentMarkdown: null })
      assert.isNull((yield* get(`/api/posts/${id}`)).body.freeContentMarkdown)
    })
  )

  it.effect("Drafts, unpublished, unknown and malformed ids are 404", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const draft = yield* author.draft()
      const withdrawn = yield* author.published()
      yield* author.unpublish(withdrawn.id)
      const ids = [draft.id, withdrawn.id, "01890000-0000-7000-8000-000000000000", "nonsense", "%00", "1"]
      for (const id of ids) {
        for (const path of [`/api/posts/${id}`, `/api/posts/${id}/public-content`]) {
          assert.deepStrictEqual(refusalOf(yield* get(path)), [404, "not_found"], path)
        }
      }
    })
  )
})
