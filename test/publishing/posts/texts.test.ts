import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf, errorsOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const FAMILY = "👨‍👩‍👧‍👦"

layer(service(database("test_posts_texts")))("the texts of a Post", (it) => {
  const limits = [
    ["title", 200],
    ["description", 500],
    ["ogTitle", 200],
    ["ogDescription", 500],
    ["creationDetails", 280]
  ] as const

  for (const [field, limit] of limits) {
    it.effect(`The ${field} has at most ${limit} characters, as readers count them`, () =>
      Effect.gen(function* () {
        const author = yield* authorOf(limits.findIndex(([it]) => it === field))
        for (const character of ["a", "é", "कि", FAMILY, "🇩🇪"]) {
          const text = (characters: number) => character.repeat(characters)
          const fits = yield* author.create({ freeContentMarkdown: "a", [field]: text(limit) })
          assert.strictEqual(fits.status, 201, fits.text)
          assert.strictEqual(fits.body[field], text(limit))
          const long = yield* author.create({ freeContentMarkdown: "a", [field]: text(limit + 1) })
          assert.deepStrictEqual(errorsOf(long), [`${field} too_long`])
        }
      })
    )
  }

  it.effect("Texts are saved in Unicode NFC with LF for CRLF, and Markdown as it was sent", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(20)
      const { body } = yield* author.create({
        title: " Cafe\u0301 ",
        description: "e\u0301\r\nb",
        freeContentMarkdown: "e\u0301 \u200b\r\n"
      })
      assert.strictEqual(body.title, "Caf\u00e9")
      assert.strictEqual(body.description, "\u00e9\nb")
      assert.strictEqual(body.freeContentMarkdown, "e\u0301 \u200b\r\n")
    })
  )

  it.effect("Control, bidirectional and invisible characters are refused by their code point", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(21)
      const refused = yield* author.create({
        freeContentMarkdown: "a",
        title: "a\nb",
        description: "a\u202eb",
        ogTitle: "\u2066x",
        ogDescription: "a\rb",
        creationDetails: "\u0007"
      })
      assert.deepStrictEqual(errorsOf(refused).toSorted(), [
        "creationDetails invalid",
        "description invalid",
        "ogDescription invalid",
        "ogTitle invalid",
        "title invalid"
      ])
      const message = refused.body.errors.find((it: { field: string }) => it.field === "description").message
      assert.include(message, "U+202E")
    })
  )

  it.effect(
    "Soft hyphens, zero width spaces and byte order marks are dropped, and direction marks kept",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(23)
        const marks = "\u00ad\u200b\ufeff"
        const { body } = yield* author.create({
          freeContentMarkdown: `a${marks}`,
          title: ` \ufeff Donau${marks}dampf `,
          description: `${marks} e\u00ad\u0301\n\u200b b ${marks}`,
          ogTitle: "\u200fשלום (1)\u200e",
          ogDescription: "ภาษา\u200bไทย"
        })
        assert.deepInclude(body, {
          freeContentMarkdown: `a${marks}`,
          title: "Donaudampf",
          description: "\u00e9\n b",
          ogTitle: "\u200fשלום (1)\u200e",
          ogDescription: "ภาษา\u200bไทย"
        })
        for (const title of [marks, "\u200f", " \u200e\u200b "]) {
          assert.strictEqual((yield* author.patch(body.id, { title })).body.title, "")
        }
      })
  )

  it.effect("A title is found by its words in either form of Unicode", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(22)
      const { id } = yield* author.published({ title: "Cafe\u0301" })
      const client = yield* TestClient
      for (const q of ["Cafe\u0301", "Caf\u00e9"]) {
        const { body } = yield* client.send("GET", `/api/posts?q=${encodeURIComponent(q)}`)
        assert.deepStrictEqual(
          body.data.map((post: { id: string }) => post.id),
          [id]
        )
      }
    })
  )
})
