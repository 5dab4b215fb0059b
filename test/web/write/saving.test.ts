import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keysOf } from "../../accounts/api-keys/keys.ts"
import { editorOf, rich } from "../../publishing/posts/nativeEditor.ts"
import { authorOf as ownerOfPosts } from "../../support/actors/author.ts"
import { signIn as signInByApi } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { signIn, valueOf } from "../signIn.ts"
import { authorOf, draftOf, pageOf, press } from "./author.ts"

/** Saves as the script of the page does. */
const save = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  fields: Readonly<Record<string, string>>
) {
  const answer = yield* reader.post(path, fields, { accept: "application/json" })
  assertPrivate(answer)
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/)
  return { status: answer.status, ...JSON.parse(answer.text) }
})

layer(service(database("test_web_saving")))("Saving by the script of the page", (it) => {
  it.effect("A new post becomes one draft, and each answer has the next revision", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(1)
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      const first = yield* save(reader, "/write", { ...form, ...written })
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.outcome, "saved")
      assert.match(first.path, /^\/write\/[0-9a-f-]{36}$/)
      assert.strictEqual(first.next, `${first.path}?saved`)
      const again = yield* save(reader, "/write", { ...form, ...written })
      assert.deepStrictEqual(again, first)
      const fields = { ...form, ...written, revision: first.revision, free: "Longer", next: "publish" }
      const second = yield* save(reader, first.path, fields)
      assert.strictEqual(second.next, `${first.path}/publish`)
      assert.notStrictEqual(second.revision, first.revision)
      assert.include(yield* pageOf(reader, first.path), "Longer")
    })
  )

  it.effect("A request whose answer was lost is sent again, and is no conflict", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(2)
      const path = yield* draftOf(reader)
      const form = hiddenOf(yield* pageOf(reader, path))
      for (const change of [
        { free: "Once", price: "0,5" },
        { paid: "", price: "0.5", title: "Two" },
        { slug: "by-hand" },
        { sell: "" }
      ]) {
        const { sell, ...fields } = { ...written, ...change }
        const { revision } = hiddenOf(yield* pageOf(reader, path))
        const sent = { ...form, ...fields, ...(sell === "" ? {} : { sell }), revision }
        const first = yield* save(reader, path, sent)
        assert.strictEqual(first.status, 200, first.said)
        assert.deepStrictEqual(yield* save(reader, path, sent), first)
        // So is a form that is pressed twice without a script.
        assert.strictEqual((yield* reader.post(path, sent)).status, 303)
        const newer = yield* save(reader, path, { ...sent, free: "Twice" })
        assert.strictEqual(newer.status, 409)
        assert.deepInclude(newer, {
          outcome: "conflict",
          said: "Changed elsewhere. Save to see both versions."
        })
      }
    })
  )

  it.effect("A refused text is told in a sentence, with its place, and keeps its draft", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(3)
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      const fields = { ...form, ...written, free: "Look:\n\n- [ ] here" }
      const refused = yield* save(reader, "/write", fields)
      assert.strictEqual(refused.status, 422)
      assert.strictEqual(refused.outcome, "refused")
      assert.match(refused.said, /^Line 3, column \d: a task list\. Write a task list as an ordinary list\.$/)
      assert.strictEqual((yield* save(reader, "/write", { ...fields, free: "Look" })).status, 200)
      const mismatch = yield* save(reader, "/write", { ...fields, free: "Look there" })
      assert.strictEqual(mismatch.status, 409)
      assert.strictEqual(mismatch.outcome, "repeat")
    })
  )

  it.effect("A session that ended is told with the sign-in, and the text is saved after it", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(4)
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      reader.jar.clear()
      const refused = yield* save(reader, "/write", { ...form, ...written })
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(refused.outcome, "session")
      assert.strictEqual(refused.link.path, "/sign-in?back=%2Fdesk")
      yield* signIn(reader, 4)
      assert.strictEqual((yield* save(reader, "/write", { ...form, ...written })).status, 200)
    })
  )

  it.effect(
    "A revoked key and five keys are told with the place that helps, and the text is saved after it",
    () =>
      Effect.gen(function* () {
        const reader = yield* authorOf(5)
        const path = yield* draftOf(reader)
        const form = hiddenOf(yield* pageOf(reader, path))
        const keys = yield* keysOf((yield* signInByApi(5)).accessToken)
        yield* keys.revoke((yield* keys.list).find(({ label }) => label === "Website")!.keyId)
        const revoked = yield* save(reader, path, { ...form, ...written })
        assert.strictEqual(revoked.status, 409)
        assert.strictEqual(revoked.outcome, "key")
        assert.strictEqual(revoked.link.path, "/write")
        yield* reader.post("/desk/key", { back: path })
        assert.strictEqual((yield* save(reader, path, { ...form, ...written })).status, 200)

        const other = yield* browser
        yield* signIn(other, 6)
        const full = yield* keysOf((yield* signInByApi(6)).accessToken)
        for (let key = 0; key < 5; key++) yield* full.issued({ label: `Key ${key}` })
        const limited = yield* save(other, "/write", { ...form, ...written })
        assert.strictEqual(limited.status, 409)
        assert.strictEqual(limited.outcome, "key")
        assert.match(limited.said, /five Publishing keys/)
      })
  )

  it.effect("Another author's post and a form of another site are refused", () =>
    Effect.gen(function* () {
      const path = yield* draftOf(yield* authorOf(7))
      const other = yield* authorOf(8)
      const form = hiddenOf(yield* pageOf(other, "/write"))
      const accept = { accept: "application/json" }
      assert.strictEqual((yield* other.post(path, { ...form, ...written }, accept)).status, 404)
      const foreign = { ...accept, "sec-fetch-site": "cross-site" }
      assert.strictEqual((yield* other.post("/write", { ...form, ...written }, foreign)).status, 403)
    })
  )

  it.effect("A new text is not saved in another account of the same browser", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(12)
      const text = yield* pageOf(reader, "/write")
      const form = { ...hiddenOf(text), author: valueOf(text, "author") }
      yield* signIn(reader, 13)
      const refused = yield* save(reader, "/write", { ...form, ...written })
      assert.strictEqual(refused.status, 409)
      assert.strictEqual(refused.outcome, "account")
      const page = yield* reader.post("/write", { ...form, ...written })
      assert.strictEqual(page.status, 409)
      assert.include(page.text, "PAIDWORD")
      assert.strictEqual(valueOf(page.text, "author"), form.author)
      // The script offers the texts of the author only to the author.
      const ownerOf = (html: string) => /data-owner="([^"]*)"/.exec(html)?.[1]
      assert.strictEqual(ownerOf(text), form.author)
      const second = yield* pageOf(reader, "/write")
      assert.notStrictEqual(valueOf(second, "author"), form.author)
      assert.strictEqual(ownerOf(page.text), valueOf(second, "author"))
      reader.jar.clear()
      const signedOut = yield* reader.post("/write", { ...form, ...written })
      assert.strictEqual(signedOut.status, 401)
      assert.strictEqual(valueOf(signedOut.text, "author"), form.author)
      assert.strictEqual(ownerOf(signedOut.text), "")
      yield* signIn(reader, 12)
      assert.strictEqual((yield* save(reader, "/write", { ...form, ...written })).status, 200)
    })
  )

  it.effect("The page states the outcome of its form to its script as a code", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(9)
      const path = yield* draftOf(reader)
      const outcomeOf = (text: string) => /data-outcome="([^"]+)"/.exec(text)?.[1]
      const isPublished = (text: string) => text.includes('name="published"')
      const draft = yield* pageOf(reader, path)
      assert.strictEqual(outcomeOf(draft), "saved")
      assert.isFalse(isPublished(draft))
      const form = hiddenOf(draft)
      const refused = yield* reader.post(path, { ...form, ...written, price: "much" })
      assert.strictEqual(outcomeOf(refused.text), "refused")
      yield* reader.post(path, { ...form, ...written, free: "Newer" })
      // A version that another one opposes is saved only by its author.
      const conflict = yield* reader.post(path, { ...form, ...written, free: "Older" })
      assert.strictEqual(outcomeOf(conflict.text), "conflict")
      yield* press(reader, path, "publish")
      const published = yield* pageOf(reader, path)
      assert.strictEqual(outcomeOf(published), "saved")
      assert.isTrue(isPublished(published))
    })
  )

  it.effect("Scripts import the files that their page loads", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(14)
      const text = yield* pageOf(reader, "/write")
      const loaded = [...text.matchAll(/<script type="module" src="([^"]+)"/g)].map(([, path = ""]) => path)
      const imported: Array<string> = []
      for (const path of loaded)
        for (const [, name = ""] of (yield* reader.get(path)).text.matchAll(/\bfrom "([^"]+)"/g))
          imported.push(name)
      assert.isNotEmpty(imported)
      assert.includeMembers(loaded, imported)
    })
  )

  it.effect("The address follows the title until its author chooses one, or publishes the post", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(10)
      const path = yield* draftOf(reader, { ...written, title: "Ni" })
      const titled = Effect.fnUntraced(function* (
        title: string,
        more: Readonly<Record<string, string>> = {}
      ) {
        const text = yield* pageOf(reader, path)
        const saved = yield* save(reader, path, { ...hiddenOf(text), ...written, title, slug: "", ...more })
        return saved.slug as string
      })
      assert.include(yield* pageOf(reader, `${path}/publish`), "/@writer_10/ni<")
      assert.strictEqual(yield* titled("Nine degrees"), "nine-degrees")
      assert.strictEqual(yield* titled("Nine degrees"), "nine-degrees")
      assert.strictEqual(yield* titled("Nine degrees", { slug: "chosen" }), "chosen")
      assert.match(yield* pageOf(reader, `${path}/publish`), /name="slug"[^>]*value="chosen"/)
      // The sheet does not touch a chosen address.
      assert.notInclude(yield* pageOf(reader, path), 'name="slug"')
      assert.strictEqual(yield* titled("Ten degrees", { slug: "ten-degrees" }), "ten-degrees")
      yield* press(reader, path, "publish")
      yield* press(reader, path, "unpublish")
      assert.strictEqual(yield* titled("Eleven degrees"), "ten-degrees")
      const second = yield* draftOf(reader, { ...written, title: "Moon" })
      yield* press(reader, second, "publish")
      yield* press(reader, second, "unpublish")
      const moon = hiddenOf(yield* pageOf(reader, second))
      const kept = yield* save(reader, second, { ...moon, ...written, title: "Sun", slug: "" })
      assert.strictEqual(kept.slug, "moon", "Readers may have this address")
    })
  )

  it.effect("A part that Markdown cannot say is shown, and stays as it is", () =>
    Effect.gen(function* () {
      const author = yield* ownerOfPosts(11)
      const reader = yield* browser
      yield* signIn(reader, 11)
      const editor = yield* editorOf(author)
      const { id } = yield* author.draft({ paidContentMarkdown: "paid" })
      yield* editor.write(id, { free: rich })
      const text = yield* pageOf(reader, `/write/${id}`)
      assert.include(text, "<p>Watch this</p>")
      assert.match(text, /content that Markdown can't\s+express: \w/)
      assert.notInclude(text, `name="free"`)
      const saved = yield* save(reader, `/write/${id}`, {
        ...hiddenOf(text),
        title: "Other",
        paid: "Other",
        primary: "3"
      })
      assert.strictEqual(saved.status, 200, saved.said)
      assert.deepStrictEqual((yield* editor.read(id)).free, rich)
    })
  )
})
