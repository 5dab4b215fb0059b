import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { authorOf, draftOf, pageOf } from "./author.ts"
import { sentForm } from "./sentForm.ts"

const ANSWER_MAX = 200_000
const LONG = '"'.repeat(480_000)

/** Returns the text of a control, as a browser shows it. */
const valueOf = (page: string, name: string) => {
  const control = validated(page).find(({ attributes }) => attributes["name"] === name)
  return control?.attributes["value"] ?? control?.text
}

const wrongOf = (page: string, name: string) =>
  new RegExp(`id="${name}-hint"[^>]*><strong class="bad">([^<]*)`).exec(page)?.[1]

layer(service(database("test_web_long_forms")))("Forms of megabytes", (it) => {
  it.effect("A form of a stranger over 1.5 MB is refused unread", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      const form = { ...hiddenOf(yield* pageOf(yield* authorOf(1), "/write")), ...written }
      const fields = { ...form, title: '"'.repeat(5_000_000 / 3) }
      for (const answer of [
        yield* reader.post("/write", fields),
        yield* reader.postParts("/write", { ...fields, title: '"'.repeat(5_000_000) }, [])
      ]) {
        assert.strictEqual(answer.status, 413)
        assert.isBelow(answer.text.length, 10_000)
      }
    })
  )

  it.effect("A shorter one comes back with its texts whole, and every other field cut", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      const form = { ...hiddenOf(yield* pageOf(yield* authorOf(1), "/write")), ...written }
      const free = `${"Ä".repeat(100_000)}\r\n${"b".repeat(99_999)}`
      for (const name of ["title", "description", "slug", "details", "cardTitle", "cardImage", "author"]) {
        const fields = { ...form, free, slug: "a", [name]: '"'.repeat(200_000) }
        for (const answer of [
          yield* reader.post("/write", fields),
          yield* reader.postParts("/write", fields, [])
        ]) {
          assert.strictEqual(answer.status, 401, name)
          assert.strictEqual(valueOf(answer.text, "free"), free.replace("\r\n", "\n"))
          assert.strictEqual(valueOf(answer.text, "paid"), written.paid)
          assert.isAtMost(valueOf(answer.text, name)?.length ?? 0, 4096, name)
          assert.isBelow(answer.text.length, 300_000, name)
        }
      }
    })
  )

  it.effect("A field that is far too long comes back cut with the reason, and nothing is saved", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(2)
      const form = { ...hiddenOf(yield* pageOf(reader, "/write")), ...written }
      for (const name of ["title", "price"])
        for (const long of [LONG, `${" ".repeat(480_000)}x`]) {
          const fields = { ...form, [name]: long }
          for (const answer of [
            yield* reader.post("/write", fields),
            yield* reader.postParts("/write", fields, [])
          ]) {
            assert.strictEqual(answer.status, 422, name)
            assert.isBelow(answer.text.length, ANSWER_MAX, name)
            assert.match(wrongOf(answer.text, name) ?? "", /far too long/, name)
            assert.include(answer.text, "PAIDWORD")
            assert.isAtMost(valueOf(answer.text, name)?.length ?? 0, 4096, name)
          }
        }
      assert.notInclude(yield* pageOf(reader, "/desk/posts"), written.title)
    })
  )

  it.effect("A decision that is too long comes back with the reason, and nothing is saved or published", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(4)
      const path = yield* draftOf(reader)
      const form = sentForm(yield* pageOf(reader, `${path}/publish`))
      for (const name of ["description", "details", "cardTitle", "cardImage", "canonical", "price", "slug"])
        for (const long of ['"'.repeat(9_000), `${" ".repeat(9_000)}x`]) {
          const answer = yield* reader.post(`${path}/publish`, { ...form, [name]: long })
          assert.strictEqual(answer.status, 422, name)
          assert.isBelow(answer.text.length, ANSWER_MAX, name)
          assert.match(wrongOf(answer.text, name) ?? "", /far too long/, name)
          assert.isAtMost(valueOf(answer.text, name)?.length ?? 0, 4096, name)
        }
      assert.include(yield* pageOf(reader, "/desk/posts"), "Draft")
    })
  )

  it.effect("A section that is too long comes back with its beginning, and the other one whole", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(3)
      const form = { ...hiddenOf(yield* pageOf(reader, "/write")), ...written }
      const little = yield* reader.post("/write", { ...form, free: "x".repeat(200_001) })
      assert.strictEqual(little.status, 422)
      assert.strictEqual(valueOf(little.text, "free")?.length, 200_000)
      assert.match(wrongOf(little.text, "free") ?? "", /more than 200,000 characters/)
      assert.include(little.text, "PAIDWORD")
      const much = yield* reader.post("/write", { ...form, free: '"'.repeat(1_600_000) })
      assert.strictEqual(much.status, 422)
      assert.isBelow(much.text.length, ANSWER_MAX)
      assert.include(much.text, "PAIDWORD")
      const more = yield* reader.post("/write", { ...form, free: "x".repeat(6_000_000) })
      assert.strictEqual(more.status, 413)
      assert.isBelow(more.text.length, 10_000)
    })
  )
})
