import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import type { Browser } from "../browser.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { authorOf, draftOf, pageOf } from "./author.ts"
import { sentForm } from "./sentForm.ts"

const GERMAN =
  "Die Brücke neigt sich um neun Grad, und die Stadt hat gelernt, damit zu leben. Es ist nicht das erste Mal."
const FRENCH =
  "Le pont penche de neuf degrés, et la ville vit avec. Ce n'est pas une erreur que les ingénieurs ont faite."

/** Returns the language that the page of decisions shows: the chosen option. */
const shownLanguage = (page: string) => {
  const select = /id="language"[^]*?<\/select>/.exec(page)?.[0] ?? ""
  return /<option value="[^"]*" selected>([^<]*)</.exec(select)?.[1]
}

const decisions = (reader: Browser, path: string, headers?: Readonly<Record<string, string>>) =>
  Effect.map(reader.get(`${path}/publish`, headers), ({ text }) => text)

/** Saves the sheet of a draft again, with these fields. */
const saveAgain = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  fields: Readonly<Record<string, string>>
) {
  const saved = yield* reader.post(path, { ...sentForm(yield* pageOf(reader, path)), ...fields })
  assert.strictEqual(saved.status, 303, saved.text)
})

layer(service(database("test_web_languages")))("The language of a post", (it) => {
  it.effect(
    "The language of a draft follows its text, and the page of decisions says that it is a guess",
    () =>
      Effect.gen(function* () {
        const reader = yield* authorOf(1)
        const path = yield* draftOf(reader, { ...written, free: GERMAN })
        assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "German (guessed)")
        yield* saveAgain(reader, path, { free: FRENCH })
        assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "French (guessed)")
        // A text that says little changes nothing.
        yield* saveAgain(reader, path, { free: "Oui", paid: "" })
        assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "French")
      })
  )

  it.effect("A language that its author chose before the text says much stays when more is written", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(6)
      const path = yield* draftOf(reader, { ...written, title: "Ti", free: "Hm", paid: "" })
      const form = sentForm(yield* decisions(reader, path))
      yield* reader.post(`${path}/publish`, { ...form, language: "nl", act: "save" })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "Dutch")
      assert.notInclude(yield* pageOf(reader, path), 'name="language"')
      yield* saveAgain(reader, path, { free: GERMAN })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "Dutch")
    })
  )

  it.effect("A language that its author chose stays, also when the text is written on", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(2)
      const path = yield* draftOf(reader, { ...written, free: GERMAN })
      const form = sentForm(yield* decisions(reader, path))
      yield* reader.post(`${path}/publish`, { ...form, language: "nl", act: "save" })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "Dutch")
      assert.include(yield* decisions(reader, path), "Guess it from the text")
      assert.notInclude(yield* pageOf(reader, path), 'name="language"')
      yield* saveAgain(reader, path, { free: `${GERMAN} ${GERMAN}` })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "Dutch")
      // The author can go back to the guess.
      const again = sentForm(yield* decisions(reader, path))
      yield* reader.post(`${path}/publish`, { ...again, language: "", act: "save" })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "German (guessed)")
    })
  )

  it.effect("A chosen language that is also the guess stays, until the author goes back to guesses", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(8)
      const path = yield* draftOf(reader, { ...written, free: GERMAN })
      const form = sentForm(yield* decisions(reader, path))
      assert.strictEqual(form["language"], "")
      yield* reader.post(`${path}/publish`, { ...form, language: "de", act: "save" })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "German")
      yield* saveAgain(reader, path, { free: FRENCH })
      const chosen = yield* decisions(reader, path)
      assert.strictEqual(shownLanguage(chosen), "German")
      yield* reader.post(`${path}/publish`, { ...sentForm(chosen), language: "", act: "save" })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "French (guessed)")
      yield* saveAgain(reader, path, { free: GERMAN })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "German (guessed)")
    })
  )

  it.effect("A new text that says little has the language of the browser, and English without one", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(3)
      const little = { ...written, title: "Ti", free: "Hm", paid: "" }
      for (const [asked, shown] of [
        ["pt-BR,pt;q=0.9,en;q=0.8", "Portuguese (guessed)"],
        ["*", "English (guessed)"],
        ["<script>", "English (guessed)"]
      ] as const) {
        const form = hiddenOf(yield* pageOf(reader, "/write"))
        const saved = yield* reader.post("/write", { ...form, ...little }, { "accept-language": asked })
        assert.strictEqual(saved.status, 303, saved.text)
        const path = (saved.headers.get("location") ?? "").replace("?saved", "")
        const page = yield* decisions(reader, path, { "accept-language": asked })
        assert.strictEqual(shownLanguage(page), shown, asked)
      }
    })
  )

  it.effect("The language of a public post changes only by its author", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(4)
      const path = yield* draftOf(reader, { ...written, free: GERMAN })
      const published = yield* reader.post(`${path}/publish`, sentForm(yield* decisions(reader, path)))
      assert.strictEqual(published.status, 303, published.text)
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "German")
      yield* saveAgain(reader, path, { free: FRENCH })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "German")
      const form = sentForm(yield* decisions(reader, path))
      yield* reader.post(`${path}/publish`, { ...form, language: "fr", act: "save" })
      assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "French")
    })
  )

  it.effect(
    "A page that was opened before the publication changes neither language nor address after it",
    () =>
      Effect.gen(function* () {
        const reader = yield* authorOf(5)
        const path = yield* draftOf(reader, { ...written, free: GERMAN })
        const old = sentForm(yield* decisions(reader, path))
        yield* reader.post(`${path}/publish`, old)
        yield* reader.post(`${path}/publish`, {
          ...sentForm(yield* decisions(reader, path)),
          language: "fr",
          act: "save"
        })
        const answer = yield* reader.post(`${path}/publish`, { ...old, details: "Typed.", act: "save" })
        assert.strictEqual(answer.status, 409, answer.text)
        const form = sentForm(answer.text)
        assert.strictEqual(form["language"], "fr")
        assert.notProperty(form, "slug")
        assert.strictEqual(form["_differing"], "details")
        const saved = yield* reader.post(`${path}/publish`, {
          ...form,
          "choose-details": "mine",
          act: "save"
        })
        assert.strictEqual(saved.status, 303, saved.text)
        assert.strictEqual(shownLanguage(yield* decisions(reader, path)), "French")
      })
  )
})
