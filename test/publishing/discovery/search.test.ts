import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"

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

  it.effect(
    "The most relevant Posts have the words in the title, then in the description, then in the text",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(20)
        const other = yield* authorOf(21)
        const post = Effect.fnUntraced(function* (by: typeof author, title: string, more: object = {}) {
          yield* TestClock.adjust("1 second")
          yield* by.published({ title, ...more })
        })
        yield* post(author, "Old kestrel")
        yield* post(author, "Described", { description: "About the kestrel" })
        yield* post(other, "Kestrels", { language: "de" })
        yield* post(author, "Written", { freeContentMarkdown: "A kestrel and a **buzzard**" })
        yield* post(other, "A kestrel", { description: "and its buzzard" })
        yield* post(other, "Buzzard", { freeContentMarkdown: "no kestrel" })
        yield* post(author, "No such bird")
        const succeed = yield* succeeding()
        const relevant = (query: object) =>
          Effect.map(
            succeed(({ discovery }) => discovery.posts({ query: { sort: "relevance", ...query } })),
            ({ data }) => data.map(({ title }) => title)
          )
        const expected: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
          [{ q: "kestrel" }, ["A kestrel", "Kestrels", "Old kestrel", "Described", "Buzzard", "Written"]],
          [{ q: "kestrel", handle: "author20" }, ["Old kestrel", "Described", "Written"]],
          [{ q: "kestrel", language: "de" }, ["Kestrels"]],
          [{ q: "kestrel buzzard" }, ["A kestrel", "Buzzard", "Written"]],
          [{ q: "kestrel -buzzard" }, ["Kestrels", "Old kestrel", "Described"]],
          [{ q: '"the kestrel" or buzzard' }, ["Buzzard", "A kestrel", "Described", "Written"]],
          [{ q: "unheard" }, []],
          [{ q: "kestrel", page: 2, per_page: 2 }, ["Old kestrel", "Described"]]
        ]
        for (const [query, titlesInOrder] of expected)
          assert.deepStrictEqual(yield* relevant(query), titlesInOrder, JSON.stringify(query))
        // Without words, all are equal.
        assert.deepStrictEqual((yield* relevant({})).slice(0, 2), ["No such bird", "Buzzard"])

        const { send } = yield* TestClient
        const slice = (cursor: string, sort = "relevance") =>
          send("GET", `/api/posts?q=kestrel&sort=${sort}&per_page=2&cursor=${cursor}`)
        const walked: Array<string> = []
        let cursor: string | null = ""
        while (cursor !== null) {
          const { body, text }: TestAnswer = yield* slice(cursor)
          assert.isDefined(body.pagination, text)
          for (const { title } of body.data) walked.push(title)
          cursor = body.pagination.nextCursor as string | null
          if (cursor !== null) assert.strictEqual((yield* slice(cursor, "newest")).status, 422)
          yield* post(author, "New kestrel")
          yield* post(author, "New", { description: "Another kestrel" })
        }
        // A Post that is published meanwhile is found where the walk has not been yet.
        assert.deepStrictEqual(
          walked.filter((title) => title !== "New"),
          ["A kestrel", "Kestrels", "Old kestrel", "Described", "Buzzard", "Written"]
        )
        const { body } = yield* send("GET", "/api/posts?q=kestrel&cursor=")
        assert.strictEqual((yield* slice(body.pagination.nextCursor ?? "n1_x")).status, 422)
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
      assert.deepStrictEqual(yield* titles("pear -apple"), ["green pear"])
    })
  )

  it.effect("Words are found without their accents, by their beginning, and in scripts without spaces", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const posts = {
        "Das Café der Renée": "Straße nach Łódź, smørrebrød",
        喫茶店の猫: "東京のAI技術について",
        北京大学: "cafe 上海",
        "서울에서 온 편지": "한국어",
        กรุงเทพมหานคร: "ภาษาไทย",
        ភាសាខ្មែរ: "រាជធានីភ្នំពេញ",
        Полёт: "شُكْرًا جزيلا",
        "The Who": "to be or not to be",
        Photosynthesis: "It is 50% of c++, 1+1"
      }
      for (const [title, description] of Object.entries(posts))
        yield* author.published({ title, description })
      const expected: Readonly<Record<string, ReadonlyArray<string>>> = {
        renee: ["Das Café der Renée"],
        "RENÉE cafe": ["Das Café der Renée"],
        "rene\u0301e": ["Das Café der Renée"],
        strasse: ["Das Café der Renée"],
        "lodz smorrebrod": ["Das Café der Renée"],
        ｃａｆｅ: ["Das Café der Renée", "北京大学"],
        "北京 cafe": ["北京大学"],
        北京: ["北京大学"],
        京大: ["北京大学"],
        '"北京大学"': ["北京大学"],
        北学: [],
        喫茶店: ["喫茶店の猫"],
        茶店の: ["喫茶店の猫"],
        喫茶: ["喫茶店の猫"],
        猫: ["喫茶店の猫"],
        茶: ["喫茶店の猫"],
        AI技術: ["喫茶店の猫"],
        技術AI: ["喫茶店の猫"],
        "東京 -猫": [],
        서울: ["서울에서 온 편지"],
        한국: ["서울에서 온 편지"],
        กรุงเทพ: ["กรุงเทพมหานคร"],
        ไทย: ["กรุงเทพมหานคร"],
        ភាសា: ["ភាសាខ្មែរ"],
        ភ្នំពេញ: ["ភាសាខ្មែរ"],
        полет: ["Полёт"],
        شكرا: ["Полёт"],
        photosyn: ["Photosynthesis"],
        pho: [],
        '"photosyn"': [],
        "photosyn it": [],
        "c++": ["Photosynthesis"],
        "1+1": ["Photosynthesis"],
        "the who": ["The Who"],
        '"to be or not to be"': ["The Who"]
      }
      for (const [q, found] of Object.entries(expected)) assert.deepStrictEqual(yield* titles(q), found, q)
    })
  )

  it.effect("A search names the authors that it finds by name and handle, before its first Post", () =>
    Effect.gen(function* () {
      const { send } = yield* TestClient
      const named = Effect.fnUntraced(function* (number: number, name: string) {
        const author = yield* authorOf(number)
        const { status } = yield* send("PATCH", "/api/v1/profile", { token: author.key, body: { name } })
        assert.strictEqual(status, 200)
        return author
      })
      const first = yield* named(11, "Zoë Quartermain")
      const second = yield* named(12, "Zoe Quartermain")
      const quiet = yield* named(13, "Zoe Quartermain")
      const restricted = yield* named(14, "Zoe Quartermain")
      const tokyo = yield* named(15, "村上春樹")
      for (const author of [first, second, restricted, tokyo]) yield* author.published()
      yield* quiet.draft()
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set follower_count = 3 where handle = ${second.handle}`
      yield* sql`update owners set restricted_at = now() where handle = ${restricted.handle}`
      const handles = Effect.fnUntraced(function* (q: string, more = "") {
        const { body, text } = yield* send("GET", `/api/posts?q=${encodeURIComponent(q)}${more}`)
        return (body.authors as ReadonlyArray<any> | undefined)?.map(({ handle }) => handle) ?? text
      })
      const both = [second.handle, first.handle]
      for (const q of ["zoe", "ZOË", "quartermain", "quart", "zoë quartermain", '"zoe quartermain"'])
        assert.deepStrictEqual(yield* handles(q), both, q)
      assert.deepStrictEqual(yield* handles("zoe", "&cursor="), both)
      assert.deepStrictEqual(yield* handles("zoe -quartermain"), [])
      assert.deepStrictEqual(yield* handles(`@${first.handle}`), [first.handle])
      assert.deepStrictEqual(yield* handles(first.handle.toUpperCase()), [first.handle])
      assert.deepStrictEqual(yield* handles("村上"), [tokyo.handle])
      assert.deepStrictEqual(yield* handles(restricted.handle), [])
      assert.deepStrictEqual(yield* handles("-zoe"), yield* handles("zoe"))
      const { body } = yield* send("GET", "/api/posts?q=zoe&per_page=1")
      assert.deepStrictEqual(Object.keys(body.authors[0]).toSorted(), [
        "authorKind",
        "avatarUrl",
        "handle",
        "id",
        "name"
      ])
      for (const other of ["/api/posts?q=zoe&page=2", "/api/posts?handle=author11", "/api/posts"])
        assert.notProperty((yield* send("GET", other)).body, "authors", other)
      assert.deepStrictEqual(yield* handles("somebody"), [])
      yield* named(12, "Somebody Else")
      assert.deepStrictEqual(yield* handles("zoe"), [first.handle])
      assert.deepStrictEqual(yield* handles("somebody"), [second.handle])
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
        '"-"',
        "'a':* & 'b'",
        "a <-> b <2> c",
        "x:ABCD !!y",
        "ｆｕｌｌ ｗｉｄｔｈ －x",
        "\u0645\u064f\u062d \u200f\u05e9\u05b8",
        "e\u0301\u0301\u0301",
        "\u{1F468}\u200d\u{1F469}\u200d\u{1F467} 1\ufe0f\u20e3",
        "北".repeat(200),
        "北 ".repeat(100).trim(),
        "a or ".repeat(40).trim(),
        '"'.repeat(200),
        '-"'.repeat(100)
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
