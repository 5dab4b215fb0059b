import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { validated } from "./documents.ts"

const pageAt = Effect.fnUntraced(function* (path: string) {
  const { status, text } = yield* (yield* TestClient).send("GET", path)
  assert.strictEqual(status, 200, `${path}: ${text}`)
  const elements = validated(text, path)
  const attributeOf = (name: string, value: string, wanted: string) =>
    elements.find(({ attributes }) => attributes[name] === value)?.attributes[wanted]
  return {
    text,
    titles: elements.filter(({ attributes }) => "hreflang" in attributes).map((it) => it.text),
    heading: elements.find(({ attributes }) => attributes["id"] === "posts")?.text,
    next: attributeOf("rel", "next", "href"),
    canonical: attributeOf("rel", "canonical", "href"),
    robots: attributeOf("name", "robots", "content"),
    years: elements
      .filter(({ attributes }) => attributes["href"]?.includes("?year=") === true)
      .map((it) => [it.text.replaceAll(/\s+/g, " ").trim(), it.attributes["aria-current"]])
  }
})

layer(service(database("test_pages_archive")))("the page of an author with many posts", (it) => {
  it.effect("An author with more than 40 posts has a search and years, and one with fewer has neither", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(1)
      const path = `/@${author.handle}`
      const post = Effect.fnUntraced(function* (n: number, more: object = {}) {
        yield* TestClock.adjust("1 second")
        return yield* author.published({ title: `Number ${n}`, ...more })
      })
      for (let n = 1; n <= 40; n++) yield* post(n, n % 10 === 0 ? { description: "About lighthouses" } : {})
      const few = yield* pageAt(path)
      assert.notInclude(few.text, "Search these posts")
      assert.deepStrictEqual(few.years, [])

      yield* post(41, { title: "Lighthouse" })
      // 24 of 2025, the others of 2024 and none of the year between: the clock of tests begins in 1970.
      yield* sql`
        update posts set published_at = published_at + case when title = 'Lighthouse' then interval '57 years'
          when split_part(title, ' ', 2)::integer > 17 then interval '55 years' else interval '54 years' end`
      yield* post(42, { title: "The last" })
      yield* sql`update posts set published_at = timestamptz '2027-12-31 23:59:59.999999Z' where title = 'The last'`
      yield* author.published({ title: "Of another day" })
      yield* sql`update posts set published_at = timestamptz '2028-01-01Z' where title = 'Of another day'`
      yield* TestClock.adjust("1 minute")

      const many = yield* pageAt(path)
      assert.include(many.text, `action="${path}"`)
      assert.deepStrictEqual(many.years, [
        ["2028 1", undefined],
        ["2027 2", undefined],
        ["2025 23", undefined],
        ["2024 17", undefined]
      ])
      assert.strictEqual(many.canonical, `https://press.test${path}`)

      const first = yield* pageAt(`${path}?year=2025`)
      assert.deepInclude(first, { heading: "Posts of 2025", robots: "noindex", canonical: many.canonical })
      assert.deepInclude(first.years, ["2025 23", "page"])
      const second = yield* pageAt(first.next!)
      assert.deepStrictEqual(
        [...first.titles, ...second.titles],
        Array.from({ length: 23 }, (_, n) => `Number ${40 - n}`)
      )
      assert.isUndefined(second.next)
      assert.deepStrictEqual((yield* pageAt(`${path}?year=2027`)).titles, ["The last", "Lighthouse"])
      assert.include((yield* pageAt(`${path}?year=2026`)).text, "No posts in 2026.")
      // An impossible year is left out.
      for (const year of ["x", "20255", "1899", "%00"])
        assert.deepStrictEqual((yield* pageAt(`${path}?year=${year}`)).titles, many.titles, year)
    })
  )

  it.effect("A search of an author finds their posts alone, the most relevant first", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const other = yield* authorOf(2)
      yield* other.published({ title: "A lighthouse of another" })
      const path = `/@${author.handle}`
      const found = yield* pageAt(`${path}?q=lighthouse`)
      assert.deepInclude(found, { heading: "5 results", robots: "noindex", next: undefined })
      assert.deepStrictEqual(found.titles, ["Lighthouse", "Number 40", "Number 30", "Number 20", "Number 10"])
      assert.include(found.text, 'value="lighthouse"')

      const first = yield* pageAt(`${path}?q=number&year=2024`)
      assert.strictEqual(first.heading, "40 results")
      const second = yield* pageAt(first.next!)
      assert.strictEqual(second.heading, "More results")
      assert.lengthOf(new Set([...first.titles, ...second.titles]), 40)

      const none = yield* pageAt(`${path}?q=%3Cb%3Eunheard`)
      assert.include(none.text, "No post has “&lt;b&gt;unheard” in its title, description or public text.")
      const { send } = yield* TestClient
      for (const query of ["q=number&after=x", "year=2025&after=x", "q=number&after=n1_x"])
        assert.strictEqual((yield* send("GET", `${path}?${query}`)).status, 404, query)
      // Authors with few posts are searched, too.
      assert.deepStrictEqual((yield* pageAt(`/@${other.handle}?q=lighthouse`)).titles, [
        "A lighthouse of another"
      ])
    })
  )

  it.effect("The oldest year of an author has a chip that leads to its posts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(1)
      yield* author.published({ title: "A letter" })
      yield* sql`update posts set published_at = timestamptz '1900-01-01Z' where title = 'A letter'`
      yield* TestClock.adjust("1 minute")
      assert.deepInclude((yield* pageAt(`/@${author.handle}`)).years, ["1900 1", undefined])
      const found = yield* pageAt(`/@${author.handle}?year=1900`)
      assert.deepInclude(found, { heading: "Posts of 1900", titles: ["A letter"] })
    })
  )
})
