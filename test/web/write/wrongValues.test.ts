import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { authorOf, draftOf, pageOf } from "./author.ts"
import { sentForm } from "./sentForm.ts"

const chosen = (page: string) =>
  /<option value="([^"]*)" selected>/.exec(/id="language".*?<\/select>/s.exec(page)?.[0] ?? "")?.[1]

layer(service(database("test_web_wrong_values")))("Wrong values of a written post", (it) => {
  it.effect("A language as systems write it is read", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(1)
      for (const [language, tag] of [
        ["en_US", "en-US"],
        ["pt_br", "pt-BR"],
        [" zh_Hant_TW ", "zh-Hant-TW"]
      ] as const) {
        const path = yield* draftOf(reader, { ...written, language })
        assert.strictEqual(chosen(yield* pageOf(reader, `${path}/publish`)), tag)
      }
    })
  )

  it.effect("A text that is no language is refused at its field, and what was decided stays there", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(2)
      const path = yield* draftOf(reader)
      const form = sentForm(yield* pageOf(reader, `${path}/publish`))
      for (const language of ["e_", "_", "english please", "e".repeat(50), "\0", "en_US.UTF-8"]) {
        const refused = yield* reader.post(`${path}/publish`, { ...form, details: "Typed.", language })
        assert.strictEqual(refused.status, 422, language)
        assert.match(refused.text, /id="language-hint"[^>]*><strong class="bad">Choose a language/)
        assert.include(refused.text, "Typed.")
      }
    })
  )

  it.effect("A price is read as people write it, and one with two readings is refused at its field", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(4)
      for (const [price, xno] of [
        ["Ӿ0.25", "0.25"],
        ["0,5 XNO", "0.5"],
        ["٠٫٢٥", "0.25"],
        ["1.000", "1"],
        ["0,001", "0.001"],
        ["1 234,5", "1234.5"]
      ] as const) {
        const path = yield* draftOf(reader, { ...written, price })
        assert.match(yield* pageOf(reader, path), new RegExp(`id="price"[^>]*value="${xno}"`), price)
      }
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      for (const [price, sentence] of [
        ["1,000", "“1,000” can mean 1000 or 1 XNO. Write 1000 or 1."],
        ["2,500", "“2,500” can mean 2500 or 2.5 XNO. Write 2500 or 2.5."],
        ["$1", "Write the price in XNO, such as 0.25."],
        ["0".repeat(90), "Write the price in XNO, such as 0.25."],
        ["10,000.5", "Choose a price from 0.00001 to 9999 XNO."]
      ] as const) {
        const refused = yield* reader.post("/write", { ...form, ...written, price })
        assert.strictEqual(refused.status, 422, price)
        assert.include(refused.text, `<strong class="bad">${sentence}`)
        assert.include(refused.text, `value="${price}"`)
      }
      // A price that is not used is not refused.
      yield* draftOf(reader, { ...written, paid: "", price: "1,000" })
    })
  )

  it.effect("A post that was deleted, or a form without its key, gives the text back", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(3)
      const path = yield* draftOf(reader)
      const form = { ...hiddenOf(yield* pageOf(reader, path)), ...written }
      yield* reader.post(`${path}/delete`)
      const gone = yield* reader.post(path, form)
      assert.strictEqual(gone.status, 404)
      assert.include(gone.text, "PAIDWORD")
      const again = yield* reader.post("/write", { ...form, ...hiddenOf(gone.text) })
      assert.strictEqual(again.status, 303)
      for (const key of ["", "x", "\0"]) {
        const refused = yield* reader.post("/write", { ...form, key })
        assert.strictEqual(refused.status, 400)
        assert.include(refused.text, "PAIDWORD")
      }
    })
  )

  it.effect("A title of several lines, as a browser without the script sends it, is one line", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(5)
      const path = yield* draftOf(reader, { ...written, title: " Nine degrees \r\n\r\n from upright\r\n" })
      assert.strictEqual(sentForm(yield* pageOf(reader, path))["title"], "Nine degrees from upright")
    })
  )
})
