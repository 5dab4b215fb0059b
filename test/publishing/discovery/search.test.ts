import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const search = Effect.fnUntraced(function* (q: string) {
  const client = yield* TestClient
  return yield* client.send("GET", `/api/posts?q=${encodeURIComponent(q)}`)
})
const titles = Effect.fnUntraced(function* (q: string) {
  const succeed = yield* succeeding()
  const { data } = yield* succeed(({ discovery }) => discovery.posts({ query: { q } }))
  return data.map(({ title }) => title).toSorted()
})

layer(service(database("test_discovery_search")))("full-text search (4.5)", (it) => {
  it.effect("A search finds titles, descriptions and free text, but never paid text", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      yield* author.published({ title: "Walrus" })
      yield* author.published({ title: "Two", description: "about the walrus" })
      yield* author.published({ title: "Three", freeContentMarkdown: "Some **walruses**." })
      yield* author.published({
        title: "Four",
        freeContentMarkdown: null,
        paidContentMarkdown: "an open walrus"
      })
      const { id } = yield* author.published({
        title: "Five",
        freeContentMarkdown: "A teaser",
        paidContentMarkdown: "secret walrus",
        enablePaywall: true,
        priceXno: "1"
      })
      yield* author.draft({ title: "Draft walrus" })
      assert.deepStrictEqual(yield* titles("walrus"), ["Four", "Three", "Two", "Walrus"])
      assert.deepStrictEqual(yield* titles("teaser"), ["Five"])
      assert.deepStrictEqual(yield* titles("secret"), [])

      yield* author.patch(id, { enablePaywall: false })
      assert.deepStrictEqual(yield* titles("secret"), ["Five"])
      yield* author.patch(id, { enablePaywall: true, priceXno: "1" })
      assert.deepStrictEqual(yield* titles("secret"), [])
      yield* author.patch(id, { title: "Renamed gnu" })
      assert.deepStrictEqual(yield* titles("gnu"), ["Renamed gnu"])
      yield* author.unpublish(id)
      assert.deepStrictEqual(yield* titles("gnu"), [])
    })
  )

  it.effect("A search understands quotes, or, and minus", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      yield* author.published({ title: "red apple" })
      yield* author.published({ title: "apple red" })
      yield* author.published({ title: "green pear" })
      assert.deepStrictEqual(yield* titles("red apple"), ["apple red", "red apple"])
      assert.deepStrictEqual(yield* titles('"red apple"'), ["red apple"])
      assert.deepStrictEqual(yield* titles("apple or pear"), ["apple red", "green pear", "red apple"])
      assert.deepStrictEqual(yield* titles("-apple pear"), ["green pear"])
    })
  )

  it.effect("No query is a 500, and its length is counted in characters", () =>
    Effect.gen(function* () {
      const hostile = [
        "'",
        '"',
        '"""',
        "\\",
        "a & b | !c",
        "a:* <-> b",
        "((((",
        "' or 1=1 --",
        "$1",
        "%",
        "the and of",
        "-",
        "日本語 😀 é",
        "\u202e\ufeff\u0300",
        "a".repeat(200),
        "\u{1F600}".repeat(200),
        `${"-".repeat(199)}a`,
        "or or or",
        '"-"'
      ]
      for (const q of hostile) assert.strictEqual((yield* search(q)).status, 200, q)
      assert.strictEqual((yield* search("a".repeat(201))).status, 422)
      assert.strictEqual((yield* search("\u{1F600}".repeat(201))).status, 422)
      const random = fc.sample(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), {
        numRuns: 150,
        seed: 3
      })
      for (const q of random)
        assert.include([200, 422], (yield* search(q.toWellFormed())).status, JSON.stringify(q))
      const client = yield* TestClient
      for (const query of [
        "q=%ff",
        "q=%ED%A0%80",
        "q=a&q=b",
        "q[]=a",
        "q=%zz",
        "cursor=&cursor=",
        "page=1&page=2"
      ]) {
        const { status } = yield* client.send("GET", `/api/posts?${query}`)
        assert.include([200, 400, 422], status, query)
      }
    })
  )
})
