import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keysOf } from "../../accounts/api-keys/keys.ts"
import { signIn as signInByApi, walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"
import { authorOf, draftOf, pageOf, press } from "./author.ts"
import { sentForm } from "./sentForm.ts"

layer(service(database("test_web_writing")))("Writing in a browser", (it) => {
  it.effect("A person signs in, writes, publishes and sells without a terminal", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(1)
      const path = yield* draftOf(reader)
      const again = yield* pageOf(reader, `${path}?saved`)
      assert.include(again, "Saved.")
      assert.include(again, "Everyone reads **this**.\n\nAnd this.")
      assert.include(yield* pageOf(reader, "/desk"), "Your drafts")
      const posts = yield* pageOf(reader, "/desk/posts")
      assert.include(posts, "Draft")
      assert.include(posts, "0.25")
      const summary = yield* pageOf(reader, `${path}/publish`)
      assert.include(summary, "0.25 XNO")
      const published = yield* press(reader, path, "publish")
      assert.strictEqual(published.headers.get("location"), `${path}/publish?done=publish`)
      const done = yield* pageOf(reader, `${path}/publish?done=publish`)
      const [, url = ""] = /data-copy="[^"]*?(\/@[^"]+)"/.exec(done) ?? []
      assert.strictEqual(url, "/@writer_1/nine-degrees-from-upright")
      // Names that every object has are no outcome.
      for (const name of ["constructor", "__proto__"]) yield* pageOf(reader, `${path}/publish?done=${name}`)
      const stranger = yield* browser
      const shown = yield* stranger.get(url)
      assert.strictEqual(shown.status, 200)
      assert.include(shown.text, "0.25 XNO")
      assert.notInclude(shown.text, "PAIDWORD")
      assert.include(yield* pageOf(reader, "/desk/posts"), "Nine degrees from upright")
    })
  )

  it.effect("A form that is sent twice makes one draft", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(2)
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      const first = yield* reader.post("/write", { ...form, ...written })
      const second = yield* reader.post("/write", { ...form, ...written })
      assert.strictEqual(second.headers.get("location"), first.headers.get("location"))
      // With another text, the same form is another draft, at the next press.
      const other = yield* reader.post("/write", { ...form, ...written, title: "Ten degrees" })
      assert.strictEqual(other.status, 409)
      assert.include(other.text, "Ten degrees")
      const third = yield* reader.post("/write", {
        ...hiddenOf(other.text),
        ...written,
        title: "Ten degrees"
      })
      assert.notStrictEqual(third.headers.get("location"), first.headers.get("location"))
    })
  )

  it.effect("A refused text stays in its fields, with a sentence for each", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(3)
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      const refused = yield* reader.post("/write", {
        ...form,
        ...written,
        free: "Look: <div>here</div>",
        price: "a lot",
        slug: "Not A Slug"
      })
      assert.strictEqual(refused.status, 422, refused.text)
      validated(refused.text)
      assert.include(refused.text, "Look: &lt;div&gt;here")
      assert.match(refused.text, /href="#slug"/)
      assert.strictEqual(hiddenOf(refused.text).key, form.key)
      const markdown = yield* reader.post("/write", { ...form, ...written, free: "Look: <div>here</div>" })
      assert.strictEqual(markdown.status, 422)
      assert.match(
        markdown.text,
        /href="#free" data-line="1" data-column="7">Line 1, column 7: HTML\. Write HTML as Markdown/
      )
      const price = yield* reader.post("/write", { ...form, ...written, price: "a lot" })
      assert.include(price.text, "Write the price in XNO, such as 0.25.")
    })
  )

  it.effect("A text that was changed elsewhere is shown with the new one, and never overwritten", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(4)
      const path = yield* draftOf(reader)
      const one = hiddenOf(yield* pageOf(reader, path))
      const other = hiddenOf(yield* pageOf(reader, path))
      assert.strictEqual((yield* reader.post(path, { ...one, ...written, free: "FIRST TAB" })).status, 303)
      const conflict = yield* reader.post(path, { ...other, ...written, free: "SECOND TAB" })
      assert.strictEqual(conflict.status, 409)
      validated(conflict.text)
      assert.include(conflict.text, "FIRST TAB")
      assert.include(conflict.text, "SECOND TAB")
      assert.include(yield* pageOf(reader, path), "FIRST TAB")
      const replaced = yield* reader.post(path, {
        ...hiddenOf(conflict.text),
        ...written,
        free: "SECOND TAB"
      })
      assert.strictEqual(replaced.status, 303)
      assert.include(yield* pageOf(reader, path), "SECOND TAB")
    })
  )

  it.effect("A text that is sent after the session ended comes back, and is saved after the sign-in", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(5)
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      reader.jar.clear()
      const refused = yield* reader.post("/write", { ...form, ...written })
      assert.strictEqual(refused.status, 401)
      validated(refused.text)
      assert.include(refused.text, "PAIDWORD")
      yield* signIn(reader, 5)
      assert.strictEqual(
        (yield* reader.post("/write", { ...hiddenOf(refused.text), ...written })).status,
        303
      )
    })
  )

  it.effect("What a draft lacks is marked before the press, and filled in there", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      yield* signIn(reader, 6)
      assert.include(yield* pageOf(reader, "/desk"), "Choose a name and a handle")
      const path = yield* draftOf(reader, { free: "A beginning." })
      // It is marked before the press, and filled in on the same page.
      const marked = yield* pageOf(reader, `${path}/publish`)
      assert.include(marked, "Before you publish:")
      for (const control of ["name", "handle", "title", "primary", "method", "attested", "address"])
        assert.include(marked, `<a href="#${control}">`)
      // The page fills it in.
      assert.notInclude(marked, '<a href="#description">')
      const form = sentForm(marked)
      assert.strictEqual(form["description"], "A beginning.")
      const filled = {
        ...form,
        name: "Author 6",
        handle: "writer_6",
        title: "Beginnings",
        primary: "3",
        method: "human_written",
        attested: "1"
      }
      const wrong = yield* reader.post(`${path}/publish`, { ...filled, address: "nano_1wrong", primary: "" })
      assert.strictEqual(wrong.status, 422)
      assert.include(wrong.text, "Enter a Nano address that can receive money.")
      const again = sentForm(wrong.text)
      assert.strictEqual(again["address"], "nano_1wrong")
      assert.notProperty(again, "name")
      const published = yield* reader.post(`${path}/publish`, {
        ...again,
        address: walletOf(6).account,
        primary: "3"
      })
      assert.strictEqual(published.headers.get("location"), `${path}/publish?done=publish`, published.text)
      const page = yield* (yield* browser).get("/@writer_6/beginnings")
      assert.strictEqual(page.status, 200)
      assert.include(page.text, 'name="description" content="A beginning."')
    })
  )

  it.effect("What is written into the paid part is sold unless its author unticks that", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(7)
      const { paid: _paid, ...free } = written
      const path = yield* draftOf(reader, free)
      assert.match(yield* pageOf(reader, path), /name="sell"\s+type="checkbox"\s+value="1"\s+checked/)
      yield* press(reader, path, "publish")
      const form = hiddenOf(yield* pageOf(reader, path))
      const saved = yield* reader.post(path, { ...form, ...written, published: "1" })
      assert.strictEqual(saved.status, 303, saved.text)
      const stranger = yield* browser
      assert.notInclude((yield* stranger.get("/@writer_7/nine-degrees-from-upright")).text, "PAIDWORD")
    })
  )

  it.effect("An author sees a preview with the paid part, and no reader does", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(13)
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      const text = {
        ...written,
        free: "## Part\n\nEveryone reads [this](/about)[^1].\n\n[^1]: A free note.",
        paid: "## Part\n\nPAIDWORD[^1].\n\n[^1]: A paid note."
      }
      const saved = yield* reader.post("/write", { ...form, ...text, next: "preview" })
      const path = saved.headers.get("location")!
      assert.match(path, /^\/write\/[0-9a-f-]{36}\/preview$/)
      const shown = yield* pageOf(reader, path)
      assert.include(shown, "Readers pay 0.25 XNO to read on from here.")
      assert.include(shown, "PAIDWORD")
      assert.match(shown, /<h2[^>]*>.*Part/)
      // Both parts have a heading and a footnote of one name, with different ids.
      assert.match(
        shown,
        /id="h-part"[^]*id="fn-1">\n<p>A free note[^]*id="h-part-2"[^]*id="fn-2">\n<p>A paid note/
      )
      // It is the page that readers get: byline, category, wall and card.
      assert.include(shown, "Keep reading for 0.25 XNO")
      assert.match(shown, /class="p-author h-card"[^]*Author 13/)
      assert.match(shown, /class="p-category" href="\/c\//)
      assert.include(shown, "Human-written, according to the author.")
      assert.match(shown, /<summary>Preview card<\/summary>[^]*A bridge that leans/)
      assert.match(shown, /<meta name="robots" content="noindex/)
      const stranger = yield* browser
      assert.strictEqual((yield* stranger.get(path)).status, 303)
      yield* pageOf(yield* authorOf(14), path, 404)
    })
  )

  it.effect("A draft is deleted, and a published post is not", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(15)
      const path = yield* draftOf(reader)
      yield* press(reader, path, "publish")
      const refused = yield* reader.post(`${path}/delete`)
      assert.strictEqual(refused.status, 409)
      validated(refused.text)
      yield* press(reader, path, "unpublish")
      assert.strictEqual((yield* reader.post(`${path}/delete`)).headers.get("location"), "/desk")
      yield* pageOf(reader, path, 404)
      assert.strictEqual((yield* reader.post(`${path}/delete`)).status, 404)
    })
  )

  it.effect("A post of another author is not there", () =>
    Effect.gen(function* () {
      const path = yield* draftOf(yield* authorOf(8))
      const other = yield* authorOf(9)
      yield* pageOf(other, path, 404)
      yield* pageOf(other, `${path}/publish`, 404)
      const form = hiddenOf(yield* pageOf(other, "/write"))
      for (const target of [path, `${path}/publish`, `${path}/unpublish`])
        assert.strictEqual((yield* other.post(target, { ...form, ...written })).status, 404, target)
    })
  )

  it.effect("A post is taken off the site and published again", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(10)
      const path = yield* draftOf(reader)
      yield* press(reader, path, "publish")
      const withdrawn = yield* press(reader, path, "unpublish")
      assert.strictEqual(withdrawn.headers.get("location"), `${path}/publish?done=unpublish`)
      const stranger = yield* browser
      assert.strictEqual((yield* stranger.get("/@writer_10/nine-degrees-from-upright")).status, 404)
      yield* press(reader, path, "publish")
      assert.strictEqual((yield* stranger.get("/@writer_10/nine-degrees-from-upright")).status, 200)
    })
  )

  it.effect("An author makes room for the key of the website, or makes it again", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* signInByApi(11)
      const keys = yield* keysOf(accessToken)
      for (let key = 0; key < 5; key++) yield* keys.issued({ label: `Key ${key}` })
      const reader = yield* authorOf(11)
      const full = yield* pageOf(reader, "/write", 409)
      assert.include(full, "Key 3")
      const revoked = yield* reader.post("/desk/key", { back: "/write", revoke: valueOf(full, "revoke") })
      assert.strictEqual(revoked.headers.get("location"), "/write")
      const path = yield* draftOf(reader)
      const form = hiddenOf(yield* pageOf(reader, path))
      const website = (yield* keys.list).find(({ label }) => label === "Website")!
      yield* keys.revoke(website.keyId)
      assert.include(yield* pageOf(reader, path, 409), "Make a new key")
      const kept = yield* reader.post(path, { ...form, ...written })
      assert.strictEqual(kept.status, 409)
      assert.include(kept.text, "PAIDWORD")
      yield* reader.post("/desk/key", { back: path })
      yield* pageOf(reader, path)
    })
  )

  it.effect("Forms of other sites and forms that are too large do nothing", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(12)
      const form = hiddenOf(yield* pageOf(reader, "/write"))
      const foreign = yield* reader.post(
        "/write",
        { ...form, ...written },
        { "sec-fetch-site": "cross-site" }
      )
      assert.strictEqual(foreign.status, 403)
      const large = yield* reader.post("/write", { ...form, free: "a".repeat(5 * 1024 * 1024) })
      assert.strictEqual(large.status, 413)
      const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, ""]))
      assert.strictEqual((yield* reader.post("/write", many)).status, 400)
      const both = "\u{1d49e}".repeat(200_000)
      const longest = yield* reader.post("/write", { ...form, ...written, free: both, paid: both })
      assert.strictEqual(longest.status, 303, longest.text.slice(0, 2_000))
    })
  )
})
