import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import type { Browser } from "../browser.ts"
import { written } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { png } from "../pictures/adding.ts"
import { signIn } from "../signIn.ts"
import { authorOf, draftOf, pageOf, press } from "./author.ts"
import { sentForm } from "./sentForm.ts"

/** Values that another tab saves, one for each control. */
const others = {
  title: "Ten degrees",
  description: "Another bridge",
  free: "Everyone reads that.",
  paid: "Only buyers read the OTHERWORD.",
  price: "0.9",
  primary: "5",
  secondary: "4",
  method: "ai_assisted_editing",
  details: "Edited twice.",
  language: "de",
  cardTitle: "A card",
  cardDescription: "About a card",
  cardImage: "https://example.org/card.png",
  canonical: "https://example.org/first"
} as const

/** Opens a public post in two tabs. The other one saves these values. */
const twoTabs = Effect.fnUntraced(function* (
  reader: Browser,
  changed: Readonly<Record<string, string | undefined>>,
  isPublic = true
) {
  const path = yield* draftOf(reader)
  if (isPublic) yield* press(reader, path, "publish")
  const mine = sentForm(yield* pageOf(reader, path))
  const all = Object.entries({ ...mine, ...changed }).filter(([, value]) => value !== undefined)
  const saved = yield* reader.post(path, Object.fromEntries(all) as Record<string, string>)
  assert.strictEqual(saved.status, 303, saved.text)
  return { path, mine }
})

const differing = (text: string) => {
  const { _differing: names = "" } = sentForm(text)
  return names.split(" ").filter((name) => name !== "")
}

layer(service(database("test_web_conflicts")))("A post that was saved in another tab", (it) => {
  it.effect("Every value that differs is shown next to the saved one, and only chosen ones are written", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(1)
      const { mine, path } = yield* twoTabs(reader, { title: "Ten degrees", price: "0.9" })
      const answer = yield* reader.post(path, { ...mine, free: "Everyone reads this, and more." })
      assert.strictEqual(answer.status, 409)
      assert.deepStrictEqual(differing(answer.text), ["title", "free", "price"])
      for (const value of ["Ten degrees", "Nine degrees from upright", "0.9", "and more."])
        assert.include(answer.text, value)
      const saved = sentForm(yield* pageOf(reader, path))
      const form = sentForm(answer.text)

      // Without a choice nothing is saved.
      const undecided = yield* reader.post(path, { ...form, "choose-title": "saved" })
      assert.strictEqual(undecided.status, 409)
      assert.strictEqual(sentForm(undecided.text)["choose-title"], "saved")
      assert.deepStrictEqual({ ...sentForm(yield* pageOf(reader, path)), key: "" }, { ...saved, key: "" })

      const choices = { "choose-title": "saved", "choose-free": "mine", "choose-price": "saved" }
      const done = yield* reader.post(path, { ...form, ...choices })
      assert.strictEqual(done.status, 303, done.text)
      const after = sentForm(yield* pageOf(reader, path))
      assert.strictEqual(after["title"], "Ten degrees")
      assert.strictEqual(after["price"], "0.9")
      assert.strictEqual(after["free"], "Everyone reads this, and more.")
      // A lost answer is no conflict.
      assert.strictEqual((yield* reader.post(path, { ...form, ...choices })).status, 303)
    })
  )

  it.effect("Each field of the sheet is compared, and decisions of another page are no part of it", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(2)
      const { mine, path } = yield* twoTabs(reader, { ...others, comments: undefined })
      const answer = yield* reader.post(path, mine)
      assert.strictEqual(answer.status, 409)
      assert.sameMembers(differing(answer.text), ["title", "free", "paid", "price", "cardImage"])
      for (const value of ["OTHERWORD", "example.org/card.png"]) assert.include(answer.text, value)
      const saved = sentForm(yield* pageOf(reader, path))
      const choices = Object.fromEntries(
        differing(answer.text).map((name) => [`choose-${name}`, "saved"] as const)
      )
      assert.strictEqual((yield* reader.post(path, { ...sentForm(answer.text), ...choices })).status, 303)
      assert.deepStrictEqual(
        { ...sentForm(yield* pageOf(reader, path)), revision: "", key: "" },
        { ...saved, revision: "", key: "" }
      )
      const decided = sentForm(yield* pageOf(reader, `${path}/publish`))
      for (const name of [
        "description",
        "primary",
        "secondary",
        "details",
        "cardTitle",
        "canonical"
      ] as const)
        assert.strictEqual(decided[name], others[name], name)
    })
  )

  it.effect("Each decision is compared with the one of another tab, also the boxes, and none is lost", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(7)
      const path = yield* draftOf(reader)
      const mine = sentForm(yield* pageOf(reader, `${path}/publish`))
      const { free: _free, paid: _paid, ...decisions } = { ...mine, ...others, sell: "0", act: "save" }
      const {
        attested: _attested,
        comments: _comments,
        title: _title,
        ...theirs
      } = decisions as Record<string, string>
      assert.strictEqual((yield* reader.post(`${path}/publish`, { ...theirs, slug: "by-hand" })).status, 303)
      // A published post would be another one, so this press publishes nothing.
      const answer = yield* reader.post(`${path}/publish`, { ...mine, details: "Typed.", act: "publish" })
      assert.strictEqual(answer.status, 409)
      validated(answer.text)
      assert.sameMembers(
        differing(answer.text),
        [
          "description",
          "sell",
          "price",
          "primary",
          "secondary",
          "method",
          "details",
          "attested",
          "slug",
          "language",
          "comments",
          "cardTitle",
          "cardDescription",
          "cardImage",
          "canonical"
        ].filter((it) => it !== "language")
      )
      for (const value of ["Another bridge", "Edited twice.", "example.org/card.png", "by-hand", "Typed."])
        assert.include(answer.text, value)
      const form = sentForm(answer.text)
      const undecided = yield* reader.post(`${path}/publish`, { ...form, act: "save" })
      assert.strictEqual(undecided.status, 409)
      const choices = Object.fromEntries(
        differing(answer.text).map(
          (name) => [`choose-${name}`, name === "details" ? "mine" : "saved"] as const
        )
      )
      const done = yield* reader.post(`${path}/publish`, { ...form, ...choices, act: "save" })
      assert.strictEqual(done.headers.get("location"), `${path}/publish?done=save`, done.text)
      const after = sentForm(yield* pageOf(reader, `${path}/publish`))
      assert.strictEqual(after["details"], "Typed.")
      assert.strictEqual(after["description"], "Another bridge")
      assert.strictEqual(after["slug"], "by-hand")
      assert.notProperty(after, "comments")
      assert.notProperty(after, "attested")
    })
  )

  it.effect("A draft that was published meanwhile says so", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(3)
      const path = yield* draftOf(reader)
      const mine = sentForm(yield* pageOf(reader, path))
      yield* press(reader, path, "publish")
      const answer = yield* reader.post(path, { ...mine, free: "A half sen", slug: "by-hand" })
      assert.strictEqual(answer.status, 409)
      assert.include(answer.text, "public now.")
      assert.deepStrictEqual(differing(answer.text), ["free"])
    })
  )

  it.effect("A third version is compared once more, and a refused value keeps what was chosen", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(4)
      const { mine, path } = yield* twoTabs(reader, { title: "Ten degrees", price: "0.9" })
      const form = sentForm((yield* reader.post(path, mine)).text)
      const refused = yield* reader.post(path, {
        ...form,
        price: "a lot",
        "choose-title": "saved",
        "choose-price": "mine"
      })
      assert.strictEqual(refused.status, 422)
      assert.strictEqual(sentForm(refused.text)["title"], "Ten degrees")

      const newest = sentForm(yield* pageOf(reader, path))
      yield* reader.post(path, { ...newest, title: "Eleven degrees" })
      const again = yield* reader.post(path, {
        ...form,
        "choose-title": "mine",
        "choose-price": "saved"
      })
      assert.strictEqual(again.status, 409)
      assert.deepStrictEqual(differing(again.text), ["title"])
      assert.include(again.text, "Eleven degrees")
    })
  )

  it.effect("A page without the choices replaces nothing, after a sign-in or a picture", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(5)
      const { mine, path } = yield* twoTabs(reader, { title: "Ten degrees" })
      const form = sentForm((yield* reader.post(path, mine)).text)
      const pictured = yield* reader.postParts(path, form, [png()])
      assert.strictEqual(pictured.status, 200, pictured.text)
      assert.strictEqual((yield* reader.post(path, sentForm(pictured.text))).status, 409)
      reader.jar.clear()
      const asked = yield* reader.post(path, form)
      assert.strictEqual(asked.status, 401)
      yield* signIn(reader, 5)
      assert.strictEqual((yield* reader.post(path, sentForm(asked.text))).status, 409)
      assert.strictEqual(sentForm(yield* pageOf(reader, path))["title"], "Ten degrees")
    })
  )

  it.effect("A paid part that was untied elsewhere is shown before it is sold or free again", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(6)
      const { mine, path } = yield* twoTabs(reader, { sell: undefined }, false)
      const answer = yield* reader.post(path, mine)
      assert.strictEqual(answer.status, 409)
      assert.sameMembers(differing(answer.text), ["sell", "price"])
      assert.strictEqual(written.sell, "1")
    })
  )
})
