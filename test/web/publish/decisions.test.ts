import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { browser, type Browser } from "../browser.ts"
import { written } from "../desk/author.ts"
import { signIn } from "../signIn.ts"
import { authorOf, draftOf, pageOf } from "../write/author.ts"
import { sentForm } from "../write/sentForm.ts"

/** The form of the page of decisions, as its author sends it. */
const decisionsOf = (reader: Browser, path: string) => Effect.map(pageOf(reader, `${path}/publish`), sentForm)

layer(service(database("test_web_decisions")))("The decisions on a post", (it) => {
  it.effect("A refused form that is pressed again does not overwrite what another tab saved", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(1)
      const path = yield* draftOf(reader)
      const mine = yield* decisionsOf(reader, path)
      const theirs = { ...mine, details: "Theirs.", act: "save" }
      assert.strictEqual((yield* reader.post(`${path}/publish`, theirs)).status, 303)
      for (const [wrong, right] of [
        [{ primary: "x" }, { primary: "3" }],
        [{ cardImage: "x".repeat(9000) }, { cardImage: "" }],
        [{ sell: "0", act: "publish" }, { _free: "yes" }]
      ]) {
        const sent = { ...mine, details: "Mine.", act: "save", ...wrong }
        const refused = yield* reader.post(`${path}/publish`, sent)
        assert.strictEqual(refused.status, 422, refused.text)
        // The script of the page asks before it is left.
        assert.include(refused.text, 'data-unsaved="yes"')
        const { act } = sent
        const again = yield* reader.post(`${path}/publish`, { ...sentForm(refused.text), ...right, act })
        assert.strictEqual(again.status, 409, again.text)
        assert.strictEqual((yield* decisionsOf(reader, path))["details"], "Theirs.")
      }
    })
  )

  it.effect("A form that was cut before its author chose between two tabs is compared again", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(2)
      const path = yield* draftOf(reader)
      const mine = yield* decisionsOf(reader, path)
      yield* reader.post(`${path}/publish`, { ...mine, details: "Theirs.", act: "save" })
      const compared = yield* reader.post(`${path}/publish`, { ...mine, details: "Mine.", act: "save" })
      assert.strictEqual(compared.status, 409)
      const cut = { ...sentForm(compared.text), cardImage: "x".repeat(9000), act: "save" }
      const refused = yield* reader.post(`${path}/publish`, cut)
      assert.strictEqual(refused.status, 422, refused.text)
      const again = { ...sentForm(refused.text), cardImage: "", act: "save" }
      assert.strictEqual((yield* reader.post(`${path}/publish`, again)).status, 409)
      assert.strictEqual((yield* decisionsOf(reader, path))["details"], "Theirs.")
    })
  )

  it.effect("A draft that was saved and not published is published at the next press", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(3)
      const path = yield* draftOf(reader)
      const sent = { ...(yield* decisionsOf(reader, path)), details: "Typed.", primary: "", act: "publish" }
      const refused = yield* reader.post(`${path}/publish`, sent)
      assert.strictEqual(refused.status, 409, refused.text)
      assert.include(refused.text, "Choose a category.")
      assert.notInclude(refused.text, 'data-unsaved="yes"')
      const form = sentForm(refused.text)
      assert.strictEqual(form["details"], "Typed.")
      const published = yield* reader.post(`${path}/publish`, { ...form, primary: "3", act: "publish" })
      assert.strictEqual(published.status, 303, published.text)
    })
  )

  it.effect("A new author saves decisions before they have a name, a handle and a payout address", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      yield* signIn(reader, 4)
      const path = yield* draftOf(reader)
      const form = yield* decisionsOf(reader, path)
      assert.include(form, { name: "", handle: "", address: "" })
      const sent = { ...form, details: "Typed.", name: " ", handle: "@", act: "save" }
      const saved = yield* reader.post(`${path}/publish`, sent)
      assert.strictEqual(saved.status, 303, saved.text)
      const again = yield* decisionsOf(reader, path)
      assert.include(again, { details: "Typed.", name: "", handle: "", address: "" })
      // A publication needs them, and a wrong one is refused also before it.
      const published = yield* reader.post(`${path}/publish`, { ...again, act: "publish" })
      assert.strictEqual(published.status, 422)
      const wrong = yield* reader.post(`${path}/publish`, { ...again, handle: "a b", act: "save" })
      assert.strictEqual(wrong.status, 422)
      assert.strictEqual(sentForm(wrong.text)["handle"], "a b")
      assert.include(wrong.text, 'data-unsaved="yes"')
    })
  )

  it.effect("The page fills in how the last post was made, and never who takes responsibility", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(20)
      const { attested: _, method: __, ...unsaid } = written
      const first = yield* draftOf(reader, unsaid)
      const before = yield* decisionsOf(reader, first)
      assert.isUndefined(before["method"])
      const chosen = { method: "ai_assisted_editing", details: "Commas by a machine.", act: "save" }
      assert.strictEqual((yield* reader.post(`${first}/publish`, { ...before, ...chosen })).status, 303)

      const second = yield* draftOf(reader, { ...unsaid, title: "Another" })
      const page = yield* pageOf(reader, `${second}/publish`)
      const form = sentForm(page)
      assert.include(form, { method: "ai_assisted_editing", details: "Commas by a machine." })
      assert.isUndefined(form["attested"])
      assert.notInclude(page, "Say how the post was made.")
      // A post of another author is no choice of this one.
      const other = yield* authorOf(21)
      assert.isUndefined((yield* decisionsOf(other, yield* draftOf(other, unsaid)))["method"])
      const published = yield* reader.post(`${second}/publish`, { ...form, attested: "1", act: "publish" })
      assert.strictEqual(published.status, 303, published.text)
    })
  )

  it.effect("The chips of categories send the chosen one, and a second one or none", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(22)
      const { primary: _, ...unsorted } = written
      const path = yield* draftOf(reader, unsorted)
      const page = yield* pageOf(reader, `${path}/publish`)
      assert.include(page, 'href="#primary"')
      const form = sentForm(page)
      assert.isUndefined(form["primary"])
      assert.strictEqual(form["secondary"], "")
      const refused = yield* reader.post(`${path}/publish`, { ...form, act: "publish" })
      assert.include(refused.text, "Choose a category.")
      const sorted = { ...sentForm(refused.text), primary: "3", secondary: "5", act: "save" }
      yield* reader.post(`${path}/publish`, sorted)
      const next = yield* decisionsOf(reader, path)
      assert.include(next, { primary: "3", secondary: "5" })
      yield* reader.post(`${path}/publish`, { ...next, secondary: "", act: "save" })
      assert.include(yield* decisionsOf(reader, path), { primary: "3", secondary: "" })
    })
  )

  it.effect("A description that the page filled in follows the text until its author writes one", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(5)
      const { description: _description, ...undescribed } = written
      const path = yield* draftOf(reader, undescribed)
      const page = yield* pageOf(reader, `${path}/publish`)
      assert.notInclude(page, "Say in a sentence or two what it is about.")
      const form = sentForm(page)
      assert.strictEqual(form["description"], "Everyone reads this.")
      const saved = yield* reader.post(`${path}/publish`, { ...form, details: "Typed.", act: "save" })
      assert.strictEqual(saved.status, 303, saved.text)
      const sheet = sentForm(yield* pageOf(reader, path))
      assert.strictEqual((yield* reader.post(path, { ...sheet, free: "Another start. More." })).status, 303)
      const next = yield* decisionsOf(reader, path)
      assert.include(next, { description: "Another start.", details: "Typed." })

      // One that is emptied is missing while it is refused, and one that is written stays.
      const empty = { ...next, description: "", primary: "x", act: "save" }
      const refused = yield* reader.post(`${path}/publish`, empty)
      assert.strictEqual(refused.status, 422)
      assert.strictEqual(sentForm(refused.text)["description"], "")
      assert.include(refused.text, "Say in a sentence or two what it is about.")
      yield* reader.post(`${path}/publish`, { ...next, description: "Mine.", act: "save" })
      const last = { ...sentForm(yield* pageOf(reader, path)), free: "A third start." }
      assert.strictEqual((yield* reader.post(path, last)).status, 303)
      assert.strictEqual((yield* decisionsOf(reader, path))["description"], "Mine.")
    })
  )

  it.effect("A description that the page filled in is published", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(6)
      const { description: _description, ...undescribed } = written
      const path = yield* draftOf(reader, undescribed)
      const form = { ...(yield* decisionsOf(reader, path)), primary: "3", method: "human_written" }
      const published = yield* reader.post(`${path}/publish`, { ...form, attested: "1", act: "publish" })
      assert.strictEqual(published.status, 303, published.text)
      const shown = yield* reader.get("/@writer_6/nine-degrees-from-upright")
      assert.include(shown.text, 'name="description" content="Everyone reads this."')
    })
  )
})
