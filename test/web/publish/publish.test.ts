import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"
import { authorOf, draftOf, pageOf, press } from "../write/author.ts"
import { sentForm } from "../write/sentForm.ts"

layer(service(database("test_web_publish")))("Publishing in a browser", (it) => {
  it.effect("The summary says where the post will be, what readers see first, and who is notified", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(1)
      const path = yield* draftOf(reader)
      const alone = yield* pageOf(reader, `${path}/publish`)
      assert.include(alone, "You have no followers yet, so no one gets a notification.")
      assert.include(alone, "/@writer_1/nine-degrees-from-upright")
      assert.include(alone, "The title, the description and the part that everyone reads")
      assert.include(alone, `href="${path}/preview"`)

      const follower = yield* browser
      yield* signIn(follower, 2)
      const owner = valueOf(yield* pageOf(reader, "/write"), "author")
      const followed = yield* follower.post(`/follow/${owner}`, { handle: "writer_1", following: "true" })
      assert.strictEqual(followed.status, 303, followed.text)
      assert.include(yield* pageOf(reader, `${path}/publish`), "Your follower gets one notification")
    })
  )

  it.effect("A draft that changed since the summary was shown is shown again, and is not published", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(4)
      const path = yield* draftOf(reader)
      const form = hiddenOf(yield* pageOf(reader, `${path}/publish`))
      const other = hiddenOf(yield* pageOf(reader, path))
      yield* reader.post(path, { ...other, ...written, price: "0.9" })
      const changed = yield* reader.post(`${path}/publish`, form)
      assert.strictEqual(changed.status, 409)
      assert.include(changed.text, "This post was changed since you opened this page.")
      assert.include(changed.text, "0.9 XNO")
      const again = hiddenOf(changed.text)
      assert.strictEqual((yield* reader.post(`${path}/publish`, again)).status, 303)
      // The same form again changes nothing.
      assert.strictEqual((yield* reader.post(`${path}/publish`, again)).status, 303)
    })
  )

  it.effect(
    "A part for buyers that is not sold becomes public at the second press, after its length was shown",
    () =>
      Effect.gen(function* () {
        const reader = yield* authorOf(5)
        const { sell: _sell, ...free } = written
        const path = yield* draftOf(reader, free)
        const summary = yield* pageOf(reader, `${path}/publish`)
        const warning =
          /The part for buyers becomes public, because the post isn.{1,6}t sold: 30 characters\./
        assert.match(summary, warning)
        const first = yield* reader.post(`${path}/publish`, hiddenOf(summary))
        assert.strictEqual(first.status, 422)
        assert.match(first.text, warning)
        assert.include(first.text, "Publish both parts for free")
        const stranger = yield* browser
        assert.strictEqual((yield* stranger.get("/@writer_5/nine-degrees-from-upright")).status, 404)
        const second = yield* reader.post(`${path}/publish`, { ...hiddenOf(first.text), _free: "yes" })
        assert.strictEqual(second.status, 303)
        assert.include((yield* stranger.get("/@writer_5/nine-degrees-from-upright")).text, "PAIDWORD")
        assert.notMatch(yield* pageOf(reader, `${path}/publish`), warning)
      })
  )

  it.effect("A public post stops being sold at the second press", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(6)
      const path = yield* draftOf(reader)
      yield* press(reader, path, "publish")
      const { sell: _sell, ...form } = sentForm(yield* pageOf(reader, path))
      const asked = yield* reader.post(path, form, { accept: "application/json" })
      assert.strictEqual(asked.status, 422)
      const first = yield* reader.post(path, form)
      assert.strictEqual(first.status, 422)
      validated(first.text)
      assert.include(first.text, "30 characters. Save again to make it public.")
      const stranger = yield* browser
      const url = "/@writer_6/nine-degrees-from-upright"
      assert.notInclude((yield* stranger.get(url)).text, "PAIDWORD")
      assert.strictEqual((yield* reader.post(path, sentForm(first.text))).status, 303)
      assert.include((yield* stranger.get(url)).text, "PAIDWORD")
      // More of a free post needs no second press.
      const free = sentForm(yield* pageOf(reader, path))
      assert.strictEqual((yield* reader.post(path, { ...free, paid: "More PAIDWORD" })).status, 303)
    })
  )

  it.effect(
    "After the publication, the page has the link to copy and to give, its code and its picture",
    () =>
      Effect.gen(function* () {
        const reader = yield* authorOf(3)
        const path = yield* draftOf(reader)
        const published = yield* press(reader, path, "publish")
        assert.strictEqual(published.headers.get("location"), `${path}/publish?done=publish`)
        const done = yield* pageOf(reader, `${path}/publish?done=publish`)
        assert.include(done, "It's out.")
        assert.include(done, "Everyone can find it now.")
        assert.match(done, /data-copy="[^"]*\/@writer_3\/nine-degrees-from-upright"/)
        assert.include(done, `href="${path.replace("/write/", "/give/")}"`)
        assert.include(done, 'aria-label="QR code of the address of the post"')
        const [, picture = ""] = /<img\s+src="(\/cards\/[^"]+)"/.exec(done) ?? []
        assert.strictEqual((yield* reader.get(picture)).headers.get("content-type"), "image/png")
        const later = yield* pageOf(reader, `${path}/publish`)
        assert.match(later, /everyone who bought it can still\s+read it/)
        assert.include(later, picture)
        // A free post has nothing to give, and a draft is not out.
        yield* press(reader, path, "unpublish")
        const draft = yield* pageOf(reader, `${path}/publish?done=publish`)
        assert.notInclude(draft, "It's out.")
        assert.include(draft, `src="${path}/card.png"`)
      })
  )

  it.effect("The page says how many followers hear of the first publication, and of no other one", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(7)
      const path = yield* draftOf(reader)
      const owner = valueOf(yield* pageOf(reader, "/write"), "author")
      for (const number of [8, 9]) {
        const follower = yield* browser
        yield* signIn(follower, number)
        yield* follower.post(`/follow/${owner}`, { handle: "writer_7", following: "true" })
      }
      yield* press(reader, path, "publish")
      assert.include(yield* pageOf(reader, `${path}/publish?done=publish`), "2 followers were told.")
      yield* TestClock.adjust("1 minute")
      yield* press(reader, path, "unpublish")
      yield* press(reader, path, "publish")
      assert.include(yield* pageOf(reader, `${path}/publish?done=publish`), "Everyone can find it now.")
    })
  )

  it.effect("The page of a post that is older elsewhere says that no follower was told", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const sql = yield* SqlClient.SqlClient
      const reader = yield* authorOf(12)
      const path = yield* draftOf(reader)
      const owner = valueOf(yield* pageOf(reader, "/write"), "author")
      const follower = yield* browser
      yield* signIn(follower, 13)
      yield* follower.post(`/follow/${owner}`, { handle: "writer_12", following: "true" })
      const id = path.replace("/write/", "")
      yield* sql`update posts set dated_at = '2019-04-05T06:07:08Z' where id = ${id}`
      yield* press(reader, path, "publish")
      const [published] = yield* sql`select published_at = dated_at as is_dated from posts where id = ${id}`
      assert.deepStrictEqual(published, { is_dated: true })
      assert.include(yield* pageOf(reader, `${path}/publish?done=publish`), "Everyone can find it now.")
    })
  )

  it.effect("After changes of a public post are saved, both pages lead to it and copy its link", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(10)
      const path = yield* draftOf(reader)
      assert.notInclude(yield* pageOf(reader, `${path}?saved`), "See it")
      yield* press(reader, path, "publish")
      for (const page of [`${path}?saved`, `${path}/publish?done=save`]) {
        const text = yield* pageOf(reader, page)
        assert.match(text, /href="[^"]*\/@writer_10\/nine-degrees-from-upright"\s*>See it/)
        assert.match(text, /data-copy="[^"]*\/@writer_10\/nine-degrees-from-upright"/)
      }
    })
  )
})
