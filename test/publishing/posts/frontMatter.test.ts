import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { completeDraft, otherService, withKey } from "../../support/actors/otherService.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"

const frontMatters = [
  '---\ntitle: "Pennies"\n---\n\nText',
  '+++\ntitle = "Pennies"\n+++\nText',
  '{\n"title": "Pennies"\n}\n\nText'
]

/** Removes the lines that a refusal names. */
const withoutLines = (source: string, answer: TestAnswer) => {
  const { message } = answer.body.errors[0]
  const [, first, last] = /Remove lines (\d+) to (\d+)/.exec(message) ?? []
  return source
    .split("\n")
    .toSpliced(Number(first) - 1, Number(last) - Number(first) + 1)
    .join("\n")
}

layer(service(database("test_posts_front_matter"), 1, { adminToken: ADMIN_TOKEN }))(
  "front matter in a section",
  (it) => {
    it.effect("A section with front matter is refused on creation and change, and nothing is saved", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const post = yield* author.draft()
        for (const source of frontMatters)
          for (const member of ["freeContentMarkdown", "paidContentMarkdown"]) {
            const expected = [422, "validation", `${member} front_matter`]
            const created = yield* author.create({ [member]: source })
            assert.deepStrictEqual(refusalOf(created), expected)
            const [error] = created.body.errors
            assert.deepStrictEqual([error.line, error.column], [1, 1])
            assert.include(error.message, "Remove lines 1 to 3: this front matter would be shown as text.")
            assert.deepStrictEqual(refusalOf(yield* author.patch(post.id, { [member]: source })), expected)
          }
        assert.strictEqual((yield* author.send("GET", "")).body.total, 1)
        assert.deepStrictEqual((yield* author.read(post.id)).body, post)
      })
    )

    it.effect("Front matter is refused together with other errors of its section", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(2)
        const refused = yield* author.create({ freeContentMarkdown: "---\ntitle: A\n---\n\n<b>bold</b>" })
        const unsupported = "freeContentMarkdown unsupported_markdown"
        assert.deepStrictEqual(refusalOf(refused).slice(2), [
          "freeContentMarkdown front_matter",
          unsupported,
          unsupported
        ])
        assert.strictEqual(refused.body.errors[1].line, 5)
      })
    )

    it.effect("Another service of the operator is refused as well", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(3)
        const client = yield* otherService()
        const draft = { ...completeDraft, freeContentMarkdown: frontMatters[0] ?? "" }
        const refused = yield* Effect.flip(client["posts.create"]({ draft }).pipe(withKey(author.key)))
        assert.strictEqual(refused._tag === "Validation" && refused.errors[0]?.code, "front_matter")
      }).pipe(Effect.scoped)
    )

    it.effect(
      "An author who pastes a Markdown page of the service can follow the advice, free and paid",
      () =>
        Effect.gen(function* () {
          const author = yield* authorOf(4)
          const client = yield* TestClient
          const paid = { paidContentMarkdown: "The rest.", enablePaywall: true, priceXno: "0.1" }
          for (const members of [{}, paid]) {
            const { slug } = yield* author.published({
              title: `A page: "${Object.keys(members).length}"`,
              ...members
            })
            const page = (yield* client.send("GET", `/@${author.handle}/${slug}.md`)).text
            assert.match(page, /^---\ntitle: /)
            const refused = yield* author.create({ freeContentMarkdown: page })
            assert.deepStrictEqual(refusalOf(refused), [
              422,
              "validation",
              "freeContentMarkdown front_matter"
            ])
            const source = withoutLines(page, refused)
            assert.match(source.trim(), /^# A page/)
            const again = yield* author.published({ title: "Again", freeContentMarkdown: source })
            const shown = yield* client.send("GET", `/@${author.handle}/${again.slug}`)
            for (const member of ["published:", "creation_method", "access_url:"])
              assert.notInclude(shown.text, member)
          }
        })
    )

    it.effect("A section may begin with a thematic break, and is stored as it was sent", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(5)
        for (const freeContentMarkdown of [
          "---\n\nText\n\n---\n",
          "---\nText\n---\n",
          "***\ntitle: A\n***\n"
        ]) {
          const created = yield* author.create({ freeContentMarkdown })
          assert.strictEqual(created.status, 201, created.text)
          assert.strictEqual(created.body.freeContentMarkdown, freeContentMarkdown)
        }
      })
    )
  }
)
