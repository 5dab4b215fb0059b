import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { searchLetters, searchQueryOf } from "../../../src/publishing/discovery/searchQuery.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const TEXT_MAX = 100_000

/** Repeats a text to the longest that is indexed. */
const repeated = (text: string) => text.repeat(Math.ceil(TEXT_MAX / text.length)).slice(0, TEXT_MAX)

/** Texts that took PostgreSQL's parser quadratic or cubic time unprepared, and similar ones. */
const slowTexts = [
  "a_",
  "_1",
  "x@1",
  "1@x",
  "@x1",
  "./",
  "~/",
  "/.",
  "a-",
  "-1-",
  "1.",
  "a.b.",
  "a/",
  "//",
  "a:/",
  "http://",
  "<a ",
  "<!--",
  '<a "',
  "</",
  "&a",
  "&#",
  "&#x1",
  "1e-",
  "+1",
  "a1",
  "1a",
  "%a",
  "?=&",
  "a",
  "1",
  "é",
  "日",
  "e\u0301",
  "\u0301",
  "\u{1F600}",
  "\u00ad",
  "\u200d",
  "ﬀ",
  "ß",
  "\u0130"
]

layer(service(database("test_discovery_search_text")))("the text that is searched", (it) => {
  it.effect("Any repeated text of 100,000 characters is indexed within two seconds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(1)
      const { id } = yield* author.published({ title: "Slow" })
      for (const text of slowTexts) {
        const indexed = Effect.andThen(
          sql`set local statement_timeout = 2000`,
          sql`update posts set free_content_markdown = ${repeated(text)} where id = ${id}`
        )
        const { _tag } = yield* Effect.exit(sql.withTransaction(indexed))
        assert.strictEqual(_tag, "Success", text)
      }
    })
  )

  it.effect("A text of 100,000 different letters fits in the index, and is found by its words", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* TestClient
      const author = yield* authorOf(3)
      const { id } = yield* author.published({ title: "Large" })
      // Pairs that differ, so that each is a word of its own.
      const han = (n: number) => String.fromCodePoint(0x20000 + ((n * n * 7 + n * 13) % 40_000))
      const texts = [
        Array.from({ length: TEXT_MAX }, (_, n) => han(n)).join(""),
        Array.from({ length: TEXT_MAX / 2 }, (_, n) => `${han(n)} `).join(""),
        Array.from({ length: TEXT_MAX / 5 }, (_, n) => n.toString(36).padStart(4, "z")).join(" "),
        "\ufdfa".repeat(TEXT_MAX)
      ]
      for (const [index, text] of texts.entries()) {
        yield* sql`update posts set free_content_markdown = ${text} where id = ${id}`
        const word = index === 2 ? text.slice(0, 4) : text.slice(0, 2)
        const { body } = yield* client.send(
          "GET",
          `/api/posts?q=${encodeURIComponent(word.normalize("NFC"))}`
        )
        assert.strictEqual(body.total, 1, String(index))
      }
    })
  )

  it.effect("Queries and texts compare letters in the same way, and every query can be asked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = fc.sample(fc.string({ unit: "grapheme", maxLength: 60 }), { numRuns: 300, seed: 11 })
      const chosen = [
        "RENÉE Straße Łódź İstanbul ΟΔΟΣ",
        "ｆｕｌｌ ﾊﾝｶｸ が",
        "한글 กรุ่งเทพ ខ្មែរ မြန်မာ",
        "שָׁלוֹם مُحَمَّد"
      ]
      let known = 0
      for (const text of [...chosen, ...random]) {
        const stored = text.replaceAll("\0", "").toWellFormed()
        const [row] = yield* sql<{ readonly letters: string; readonly is_known: boolean }>`
          select search_letters(${stored}) as letters, normalize(${stored}, nfkd) = ${stored.normalize("NFKD")} as is_known`
        // An old server does not know the letters of newer versions of Unicode.
        if (row?.is_known === true) {
          known += 1
          assert.strictEqual(row.letters, searchLetters(stored), JSON.stringify(stored))
        }
        yield* sql`select to_tsquery('words', ${searchQueryOf(stored) ?? ""})`
      }
      assert.isAbove(known, 290)
    })
  )

  it.effect("Every character of Unicode folds, joins or separates in texts as in queries, by its name", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const points = Array.from({ length: 0xe01ff }, (_, point) => point + 1).filter(
        (point) =>
          !(point >= 0xd800 && point <= 0xdfff) &&
          (point < 0x3134f || point >= 0xe0000) &&
          // Han and Hangul are many and alike.
          (point < 0x4e00 || point > 0xd7a3 || point % 97 === 0) &&
          (point < 0x20000 || point > 0x3134f || point % 97 === 0) &&
          /\P{Cn}/u.test(String.fromCodePoint(point))
      )
      const texts = points.map((point) => `ka${String.fromCodePoint(point)}bo`)
      const rows = yield* sql<{
        readonly text: string
        readonly lower: string
        readonly letters: string
        readonly finds_itself: boolean
        readonly joins: boolean
        readonly separates: boolean
      }>`
        select text, lower(text) as lower, search_letters(text) as letters, words @@ to_tsquery('words', query) as finds_itself,
          words @@ to_tsquery('words', 'kabo') as joins, words @@ to_tsquery('words', 'ka <-> bo') as separates
        from unnest(${texts}::text[], ${texts.map((text) => searchQueryOf(text) ?? "")}::text[]) as t (text, query)
        cross join lateral to_tsvector('words', search_words(text)) as words`
      assert.lengthOf(rows, texts.length)
      const wrong = rows.flatMap(({ finds_itself, joins, letters, lower, separates, text }) => {
        const is = (name: RegExp) => name.test(text.slice(2, -2))
        const reasons = [
          // An old server does not know the letters of newer versions of Unicode.
          letters === searchLetters(text) || lower !== text.toLowerCase() ? "" : "letters",
          finds_itself ? "" : "lost",
          is(/^[\p{Cf}\p{DI}\u0640]$/u) && !joins ? "hides" : "",
          is(/^[\p{Pd}\p{Ps}\p{Pe}\p{Po}\p{Z}]$/u) && !separates ? "joins" : ""
        ].filter((reason) => reason !== "")
        return reasons.length === 0
          ? []
          : [`${text.codePointAt(2)?.toString(16)} ${text} ${reasons.join(", ")}`]
      })
      assert.strictEqual(wrong.length, 0, wrong.slice(0, 200).join("\n"))
    })
  )

  it.effect("Words are separated at joiners, and long words and texts are cut", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const words = Effect.fnUntraced(function* (text: string) {
        const [row] = yield* sql<{ readonly words: string }>`select search_words(${text}) as words`
        return row?.words
      })
      assert.strictEqual(yield* words("a_b-c.d/e@f<g"), "a b c d e f g")
      assert.strictEqual(yield* words(`${"a".repeat(64)}1 b`), `${"a".repeat(64)} b`)
      assert.strictEqual(yield* words("it's 50% & more: É, 1+1"), "it's 50% & more: e, 1 1")
      assert.strictEqual(yield* words("AI喫茶店で 猫"), "ai 喫 喫茶 茶店 店で で   猫 猫 ")
      assert.lengthOf(String(yield* words("a ".repeat(60_000))), TEXT_MAX)
      const unit = fc.constantFrom(
        "a",
        "Z",
        "7",
        "é",
        "日",
        " ",
        "\n",
        "_",
        "-",
        ".",
        "/",
        "@",
        "<",
        ">",
        "'"
      )
      for (const text of fc.sample(fc.string({ unit, maxLength: 400 }), { numRuns: 100, seed: 7 })) {
        const made = String(yield* words(text))
        assert.notMatch(made, /[-_./@<]|[\p{L}\p{N}]{65}/u)
      }
    })
  )

  it.effect("A word with joiners is found whole and by its parts", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(2)
      const text =
        "Our snake_case state-of-the-art node.js at https://example.org/docs/v1.2.3, mail jo@example.net <soon>"
      yield* author.published({ title: "Joined", freeContentMarkdown: text })
      yield* author.published({ title: "Apart", freeContentMarkdown: "case snake, art state, 3 2 1" })
      const found = Effect.fnUntraced(function* (q: string) {
        const { body } = yield* client.send("GET", `/api/posts?q=${encodeURIComponent(q)}`)
        return body.data.map((it: any) => it.title).toSorted()
      })
      for (const q of [
        "snake_case",
        "state-of-the-art",
        "node.js",
        "https://example.org/docs/v1.2.3",
        "v1.2.3",
        "jo@example.net",
        "example.org",
        '"snake_case state"',
        "node",
        '"mail jo',
        "<soon>",
        "/docs/"
      ]) {
        assert.deepStrictEqual(yield* found(q), ["Joined"], q)
      }
      assert.deepStrictEqual(yield* found("snake case"), ["Apart", "Joined"])
      assert.deepStrictEqual(yield* found("state -snake_case"), ["Apart"])
      assert.deepStrictEqual(yield* found('art -"snake case"'), ["Apart"])
      assert.deepStrictEqual(yield* found("-snake_case state"), ["Joined"])
    })
  )

  it.effect("Words are found however their readers type them, and only one hyphen excludes", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(4)
      const found = Effect.fnUntraced(function* (q: string) {
        const { body } = yield* client.send("GET", `/api/posts?q=${encodeURIComponent(q)}`)
        return body.data.map((it: any) => it.title).toSorted()
      })
      const texts = {
        Hebrew: "בית\u05beספר חדש",
        Persian: "کتاب فارسی",
        Arabic: "مكتبة علي، الـــسلام",
        Hidden: "Silben\u00adtren\u200bnung und \u2060Kat\ufeffzen",
        Git: "Never git push --force without a lease",
        Plain: "Never git push to main"
      }
      for (const [title, freeContentMarkdown] of Object.entries(texts))
        yield* author.published({ title, freeContentMarkdown })
      for (const [q, title] of [
        ["ספר", "Hebrew"],
        ["בית ספר", "Hebrew"],
        ["בית-ספר", "Hebrew"],
        ["כתאב", undefined],
        ["كتاب", "Persian"],
        ["فارسي", "Persian"],
        ["فارسى", "Persian"],
        ["مکتبه", "Arabic"],
        ["على السلام", "Arabic"],
        ["Silbentrennung", "Hidden"],
        ["Sil\u00adbentrennung Katzen", "Hidden"],
        ["Kat\ufeffzen", "Hidden"],
        ["git push --force", "Git"],
        ["git push —force", "Git"],
        ["git --force push", "Git"],
        ["-force", "Git"],
        ["never -force", "Plain"],
        ["never −force", "Plain"],
        ["never ‑force", "Plain"],
        ["-never -force", "Plain"]
      ] as const)
        assert.deepStrictEqual(yield* found(q), title === undefined ? [] : [title], q)
      assert.deepStrictEqual(yield* found("never - force"), ["Git"])
    })
  )
})
