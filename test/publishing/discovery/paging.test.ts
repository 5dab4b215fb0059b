import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"

const get = Effect.fnUntraced(function* (path: string) {
  return yield* (yield* TestClient).send("GET", path)
})

/** Walks a list by cursor and returns every id; runs `between` after each slice. */
const walk = Effect.fnUntraced(function* <E, R>(path: string, between: Effect.Effect<unknown, E, R>) {
  const ids: Array<string> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const { body, text }: TestAnswer = yield* get(
      `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`
    )
    assert.isDefined(body.pagination, text)
    assert.strictEqual(body.pagination.hasMore, body.pagination.nextCursor !== null)
    if (body.pagination.hasMore) assert.strictEqual(body.data.length, body.pagination.limit)
    ids.push(...body.data.map((it: any) => it.id))
    cursor = body.pagination.nextCursor
    yield* between
  }
  return ids
})

layer(service(database("test_discovery_paging")))("pages and cursors of published Posts (4.5)", (it) => {
  it.effect("A walk by cursor shows each Post once while other Posts are published", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(1)
      const ids: Array<string> = []
      for (let n = 0; n < 23; n++) {
        // Several Posts share one tick, so the id decides their order.
        if (n % 4 === 0) yield* TestClock.adjust("1 millis")
        ids.push((yield* author.published({ title: `Post ${n}` })).id)
      }
      yield* sql`update posts set published_at = published_at + interval '3 microseconds'`
      yield* sql`update post_counts set heart = ('x' || left(md5(post_id::text), 2))::bit(8)::integer % 4`
      for (const path of [
        "/api/posts?per_page=5",
        "/api/posts?per_page=1",
        "/api/posts?per_page=50",
        "/api/profile/author1/posts?per_page=7"
      ]) {
        const met = yield* walk(path, Effect.void)
        assert.strictEqual(met.length, new Set(met).size, path)
        assert.sameMembers(met, ids)
        const { body } = yield* get(`${path.split("?")[0]}?per_page=50`)
        assert.deepStrictEqual(
          met,
          body.data.map((it: any) => it.id)
        )
      }
      for (const sort of ["most_reacted", "most_purchased"]) {
        const met = yield* walk(`/api/posts?per_page=4&sort=${sort}`, Effect.void)
        assert.strictEqual(met.length, new Set(met).size, sort)
        assert.sameMembers(met, ids)
      }
      const during = yield* walk("/api/posts?per_page=5", author.published({ title: "Meanwhile" }))
      assert.strictEqual(during.length, new Set(during).size)
      assert.includeMembers(during, ids)
    })
  )

  it.effect("Pages and totals agree", () =>
    Effect.gen(function* () {
      const { body: first } = yield* get("/api/posts?per_page=10")
      const ids: Array<string> = []
      for (let page = 1; ids.length < first.total; page++) {
        const { body } = yield* get(`/api/posts?per_page=10&page=${page}`)
        assert.deepInclude(body, { total: first.total, page, per_page: 10 })
        ids.push(...body.data.map((it: any) => it.id))
      }
      assert.strictEqual(new Set(ids).size, first.total)
      const beyond = yield* get("/api/posts?per_page=50&page=1000")
      assert.deepStrictEqual(beyond.body, { data: [], total: first.total, page: 1000, per_page: 50 })
    })
  )

  it.effect("A cursor belongs to one order, and any other text is refused", () =>
    Effect.gen(function* () {
      const { body } = yield* get("/api/posts?per_page=1&cursor=")
      const cursor = body.pagination.nextCursor as string
      assert.strictEqual((yield* get(`/api/posts?cursor=${cursor}`)).status, 200)
      const refused = [
        `sort=most_reacted&cursor=${cursor}`,
        `sort=most_purchased&cursor=${cursor}`,
        "cursor=garbage",
        `cursor=${cursor}x`,
        `cursor=${cursor.replace("n", "r")}`,
        `cursor=${cursor.toUpperCase()}`,
        "cursor=n1_",
        "cursor=n99999999999999999_01890000-0000-7000-8000-000000000000",
        "cursor=n-99999999999999999_01890000-0000-7000-8000-000000000000",
        "sort=most_reacted&cursor=r-1_01890000-0000-7000-8000-000000000000",
        "cursor=%00",
        `page=1&cursor=${cursor}`,
        "page=1&cursor="
      ]
      for (const query of refused) {
        assert.deepStrictEqual(
          refusalOf(yield* get(`/api/posts?${query}`)),
          [422, "validation", "cursor invalid"],
          query
        )
        const { status } = yield* get(`/api/profile/author1/posts?${query}`)
        if (!query.includes("sort")) assert.strictEqual(status, 422, query)
      }
      const far = yield* get("/api/posts?cursor=n9999999999999999_01890000-0000-7000-8000-000000000000")
      assert.strictEqual(far.status, 200)
      assert.deepStrictEqual(refusalOf(yield* get(`/api/posts?cursor=${"n".repeat(201)}`)), [
        422,
        "validation",
        "cursor too_long"
      ])
    })
  )

  it.effect("A walk reaches Posts of the years before 1970, in the order of time and of relevance", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(2)
      const ids: Array<string> = []
      // The title of the last one lacks the word, so its rank is the lowest.
      for (const title of ["Dodo", "Dodos", "Old bird"])
        ids.push((yield* author.published({ title, freeContentMarkdown: "A dodo" })).id)
      yield* sql`
        update posts set published_at = timestamptz '1900-01-01Z' + array_position(${ids}::uuid[], id) * -interval '1 hour'
        where id = any(${ids}::uuid[])`
      for (const query of ["handle=author2", "q=dodo&sort=relevance", "q=dodo&sort=newest"])
        assert.deepStrictEqual(yield* walk(`/api/posts?per_page=1&${query}`, Effect.void), ids, query)
    })
  )
})
