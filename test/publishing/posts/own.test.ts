import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorOf, errorsOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const unknownId = "01890000-0000-7000-8000-000000000000"

layer(service(database("test_posts_own")))("own Posts (4.3)", (it) => {
  it.effect("Own Posts are listed newest first, by status and page", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const other = yield* authorOf(2)
      yield* other.draft()
      const ids: Array<string> = []
      for (let n = 0; n < 7; n++) {
        yield* TestClock.adjust("1 second")
        ids.unshift((n % 3 === 0 ? yield* author.published() : yield* author.draft()).id)
      }
      const list = (query: string) =>
        Effect.map(author.send("GET", query), ({ body }) => ({
          ...body,
          data: body.data.map((post: any) => post.id)
        }))
      assert.deepStrictEqual(yield* list(""), { data: ids, total: 7, page: 1, perPage: 20 })
      assert.deepStrictEqual(yield* list("?page=2&per_page=3"), {
        data: ids.slice(3, 6),
        total: 7,
        page: 2,
        perPage: 3
      })
      assert.deepStrictEqual(yield* list("?page=4&per_page=3"), { data: [], total: 7, page: 4, perPage: 3 })
      const published = ids.filter((_, n) => n % 3 === 0)
      assert.deepStrictEqual(yield* list("?status=published"), {
        data: published,
        total: 3,
        page: 1,
        perPage: 20
      })
      const drafts = ids.filter((_, n) => n % 3 !== 0)
      assert.deepStrictEqual(yield* list("?status=draft&per_page=2"), {
        data: drafts.slice(0, 2),
        total: 4,
        page: 1,
        perPage: 2
      })
      const full = yield* author.send("GET", "?per_page=1")
      assert.deepStrictEqual(full.body.data[0], (yield* author.read(ids[0]!)).body)
      assert.strictEqual(full.headers.get("cache-control"), "private, no-store")
    })
  )

  it.effect("The query of the list has its bounds", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const fits = ["?per_page=1", "?per_page=50", "?page=100000", "?status=draft"]
      for (const query of fits) assert.strictEqual((yield* author.send("GET", query)).status, 200, query)
      const refused = {
        "?per_page=0": "per_page out_of_range",
        "?per_page=51": "per_page out_of_range",
        "?page=0": "page out_of_range",
        "?page=-1": "page out_of_range",
        "?page=x": "page invalid",
        "?page=1.5": "page invalid",
        "?status=deleted": "status invalid",
        "?sort=newest": "sort unknown"
      }
      for (const [query, error] of Object.entries(refused)) {
        assert.deepStrictEqual(refusalOf(yield* author.send("GET", query)), [422, "validation", error], query)
      }
    })
  )

  it.effect("Foreign and unknown ids are 404, and malformed ones 422", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const foreign = (yield* (yield* authorOf(5)).draft()).id
      const requests = (id: string) =>
        [
          author.read(id),
          author.patch(id, { title: "x" }),
          author.remove(id),
          author.publish(id),
          author.unpublish(id)
        ] as const
      for (const id of [foreign, unknownId]) {
        for (const request of requests(id)) {
          assert.deepStrictEqual(refusalOf(yield* request), [404, "not-found"])
        }
      }
      for (const id of ["nonsense", "1", "%00", "01890000-0000-7000-8000-00000000000g"]) {
        for (const request of requests(id)) {
          const answer = yield* request
          assert.strictEqual(answer.status, 422, id)
          assert.deepStrictEqual(errorsOf(answer), ["postId invalid"])
        }
      }
    })
  )

  it.effect("An id in upper case is the same id", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const { id } = yield* author.draft()
      assert.strictEqual((yield* author.read(id.toUpperCase())).body.id, id)
      const published = yield* author.publish(id.toUpperCase(), "cased")
      assert.strictEqual(published.body.id, id)
      assert.strictEqual((yield* author.publish(id, "cased")).headers.get("x-idempotency-replay"), "true")
    })
  )

  it.effect("A draft is deleted for good, and a published Post is not (3.1)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const { id } = yield* author.draft()
      const removed = yield* author.remove(id)
      assert.deepStrictEqual([removed.status, removed.text], [204, ""])
      assert.strictEqual((yield* author.read(id)).status, 404)
      assert.strictEqual((yield* author.remove(id)).status, 404)

      const post = yield* author.published()
      assert.deepStrictEqual(refusalOf(yield* author.remove(post.id)), [409, "post-published"])
      yield* author.unpublish(post.id)
      assert.strictEqual((yield* author.remove(post.id)).status, 204)
    })
  )
})
