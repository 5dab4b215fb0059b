import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const read = Effect.fnUntraced(function* (id: string, query = "") {
  return yield* (yield* TestClient).send("GET", `/api/posts/${id}/related${query}`)
})

/** The titles of the Posts that are related to one. */
const titles = Effect.fnUntraced(function* (id: string) {
  const succeed = yield* succeeding()
  const { data } = yield* succeed(({ discovery }) =>
    discovery.related({ params: { postId: PostId.make(id) }, query: { limit: 12 } })
  )
  return data.map(({ title }) => title)
})

/** Removes the Posts of other tests. */
const empty = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate posts cascade`)

/** Makes the function that publishes Posts of an author, one each second, and returns their ids. */
const publisher = Effect.fnUntraced(function* (number: number) {
  yield* empty
  const author = yield* authorOf(number)
  const publish = Effect.fnUntraced(function* (title: string, body: object = {}) {
    yield* TestClock.adjust("1 second")
    return (yield* author.published({ description: "x", freeContentMarkdown: "x", title, ...body }))
      .id as string
  })
  return { author, publish }
})

layer(service(database("test_discovery_related")))("related Posts (4.5, 8)", (it) => {
  it.effect("Related Posts are 4 published summaries, or `limit` of 1 to 12, without the Post itself", () =>
    Effect.gen(function* () {
      const { author, publish } = yield* publisher(1)
      const ids: Array<string> = []
      for (let n = 0; n < 14; n++) ids.push(yield* publish(`Post ${n}`))
      yield* author.draft({ title: "Draft" })
      yield* author.unpublish(yield* publish("Withdrawn"))
      const [id = "", ...others] = ids

      const { body } = yield* read(id)
      assert.deepStrictEqual(Object.keys(body), ["data"])
      assert.lengthOf(body.data, 4)
      const list = yield* (yield* TestClient).send("GET", "/api/posts?per_page=50")
      for (const related of body.data) {
        assert.deepStrictEqual(
          related,
          list.body.data.find((it: any) => it.id === related.id)
        )
      }
      for (const limit of [1, 4, 12]) {
        const { body } = yield* read(id, `?limit=${limit}`)
        // All are alike, so the newest are first.
        const newest = others.toReversed().slice(0, limit)
        assert.deepStrictEqual(
          body.data.map((it: any) => it.id),
          newest
        )
      }
      for (const limit of ["0", "13", "-1"])
        assert.deepStrictEqual(refusalOf(yield* read(id, `?limit=${limit}`)), [
          422,
          "validation",
          "limit out_of_range"
        ])
      for (const limit of ["", "4.5", "1e1", "many"])
        assert.strictEqual((yield* read(id, `?limit=${limit}`)).status, 422, limit)
    })
  )

  it.effect("A Post that is not public is not found, and the only public one has no related Posts", () =>
    Effect.gen(function* () {
      const { author, publish } = yield* publisher(2)
      const draft = yield* author.draft()
      const id = yield* publish("Alone")
      assert.deepStrictEqual(refusalOf(yield* read(draft.id)), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* read("01890000-0000-7000-8000-000000000000")), [
        404,
        "not_found"
      ])
      assert.deepStrictEqual((yield* read(id)).body, { data: [] })
      yield* author.unpublish(id)
      assert.deepStrictEqual(refusalOf(yield* read(id)), [404, "not_found"])
    })
  )

  it.effect("Related Posts are ranked by language, then by categories and similar text, then by age", () =>
    Effect.gen(function* () {
      const { publish } = yield* publisher(3)
      const it = { description: "Brass wheels", primaryCategoryId: 1, secondaryCategoryId: 2, language: "en" }
      yield* publish("Older", { primaryCategoryId: 9 })
      yield* publish("Both categories", { primaryCategoryId: 2, secondaryCategoryId: 1 })
      yield* publish("Repairing analytical engines", {
        primaryCategoryId: 9,
        description: "Their brass wheels"
      })
      yield* publish("One category", { primaryCategoryId: 9, secondaryCategoryId: 2 })
      yield* publish("Both and a word: engine", { primaryCategoryId: 1, secondaryCategoryId: 2 })
      yield* publish("Wheels of brass for the analytical engine", { ...it, language: "fr" })
      yield* publish("Newer", { primaryCategoryId: 9, language: "en-GB" })
      const id = yield* publish("The analytical engine", it)
      assert.deepStrictEqual(yield* titles(id), [
        "Both and a word: engine",
        "Repairing analytical engines",
        "Both categories",
        "One category",
        "Newer",
        "Older",
        "Wheels of brass for the analytical engine"
      ])
    })
  )

  it.effect("Similar Posts are found among many newer ones, by two words or more", () =>
    Effect.gen(function* () {
      const { publish } = yield* publisher(4)
      const old = yield* publish("Growing quinces in Norway", { primaryCategoryId: 1 })
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 100; n++) yield* publish(`Newer quince ${n}`, { primaryCategoryId: 2 })
      yield* sql`analyze posts`
      const id = yield* publish("Norwegian notes", {
        primaryCategoryId: 3,
        description: "How quinces grow in Norway"
      })
      assert.strictEqual((yield* titles(id))[0], "Growing quinces in Norway")
      assert.notInclude(yield* titles(old), "Growing quinces in Norway")
    })
  )

  it.effect("Words of a title are only words, even those with a meaning in a query language", () =>
    Effect.gen(function* () {
      const { publish } = yield* publisher(5)
      for (const title of [
        "O'Neil''s \\ notes",
        "a & b | !c <-> d:*",
        "'); drop table posts; --",
        "\\'\\'",
        "!!!",
        "the of and",
        "😀 émigré naïve façade",
        "x".repeat(200)
      ]) {
        const id = yield* publish(title, { description: title })
        const { status, text } = yield* read(id)
        assert.strictEqual(status, 200, `${title} ${text}`)
      }
    })
  )

  it.effect("A Post that is withdrawn or changed leaves kept answers immediately", () =>
    Effect.gen(function* () {
      const { author, publish } = yield* publisher(6)
      const other = yield* publish("Other")
      const id = yield* publish("It")
      assert.deepStrictEqual(yield* titles(id), ["Other"])
      yield* author.patch(other, { title: "Changed" })
      assert.deepStrictEqual(yield* titles(id), ["Changed"])
      yield* author.unpublish(other)
      assert.deepStrictEqual(yield* titles(id), [])
    })
  )

  it.effect("The text of a paid section makes no Post similar", () =>
    Effect.gen(function* () {
      const { publish } = yield* publisher(7)
      yield* publish("Plain", { primaryCategoryId: 1 })
      yield* publish("Paid", {
        primaryCategoryId: 1,
        paidContentMarkdown: "Quinces in Norway",
        enablePaywall: true,
        priceXno: "1"
      })
      yield* publish("Plain, too", { primaryCategoryId: 1 })
      const id = yield* publish("Quinces", { description: "Norway", primaryCategoryId: 2 })
      assert.deepStrictEqual(yield* titles(id), ["Plain, too", "Paid", "Plain"])
    })
  )
})
