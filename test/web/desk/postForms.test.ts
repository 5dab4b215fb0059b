import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"
import { sentForm } from "../write/sentForm.ts"

const PRICE = (tenths: number) => `${tenths}${"0".repeat(29)}`

const FOR_SALE = {
  title: "Letters <b>home</b>",
  description: "All of them",
  freeContentMarkdown: "The teaser.",
  paidContentMarkdown: "The rest.",
  enablePaywall: true,
  priceXno: "0.5"
}

const tableOf = Effect.fnUntraced(function* (reader: Browser, path: string) {
  const { status, text } = yield* reader.get(path)
  assert.strictEqual(status, 200, text)
  validated(text)
  return text
})

/** Signs an author in who has a post for sale. */
const sellingAuthor = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* authorOf(number)
  const post = yield* author.published(FOR_SALE)
  const reader = yield* browser
  yield* signIn(reader, number)
  const read = Effect.map(
    client.send("GET", `/api/v1/posts/${post.id}`, { token: author.key }),
    ({ body }) => body
  )
  return { author, id: post.id as string, reader, read }
})

/** Returns the fields that a form of the table sends unseen. */
const fieldsOf = (text: string, action: string) => {
  const [, form = ""] = text.split(`action="${action}"`)
  const inputs = form
    .slice(0, form.indexOf("</form>"))
    .matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, value?.replaceAll("&amp;", "&")]))
}

layer(service(database("test_web_post_forms")))("The menu of a post in the table of own posts", (it) => {
  it.effect("A price is changed in place, and nothing else of the post", () =>
    Effect.gen(function* () {
      const { author, id, read, reader } = yield* sellingAuthor(1)
      const free = yield* author.published({ title: "Letters for all" })
      const path = `/write/${id}/publish`
      const table = yield* tableOf(reader, "/desk/posts?q=letters&sort=title")
      assert.include(table, 'value="0.5"')
      assert.notInclude(table, `action="/write/${free.id}/publish"`)
      const fields = fieldsOf(table, path)
      assert.deepInclude(fields, { act: "save", desk: "sort=title&q=letters" })
      const before = yield* read
      const saved = yield* reader.post(path, { ...fields, price: "0,7" })
      assert.strictEqual(saved.status, 303, saved.text)
      const back = saved.headers.get("location") ?? ""
      assert.strictEqual(back, "/desk/posts?sort=title&q=letters&done=save")
      const after = yield* read
      assert.deepStrictEqual(after, { ...before, priceRaw: PRICE(7), updatedAt: after.updatedAt })
      const told = yield* tableOf(reader, back)
      assert.include(told, "The new price is saved.")
      assert.include(told, 'value="0.7"')

      // A refused price, and a post that was changed elsewhere, are for the page of all decisions.
      const next = fieldsOf(told, path)
      for (const [sent, status] of [
        [{ ...next, price: "a penny" }, 422],
        [{ ...fields, price: "0.9" }, 409]
      ] as const) {
        const refused = yield* reader.post(path, sent)
        assert.strictEqual(refused.status, status)
        validated(refused.text)
        assert.include(refused.text, sent.price)
        assert.include(refused.text, "What you decide")
      }
      assert.strictEqual((yield* read).priceRaw, PRICE(7))

      // Once the price is right, the page of decisions leads back to the same place of the table.
      const refused = yield* reader.post(path, { ...next, price: "a penny" })
      const form = sentForm(refused.text)
      assert.deepInclude(form, { desk: "sort=title&q=letters", price: "a penny" })
      const corrected = yield* reader.post(path, { ...form, act: "save", price: "0.8" })
      assert.strictEqual(corrected.status, 303, corrected.text)
      assert.strictEqual(corrected.headers.get("location"), back)
      assert.strictEqual((yield* read).priceRaw, PRICE(8))
    })
  )

  it.effect("A post is unpublished in place, once, and only by its author", () =>
    Effect.gen(function* () {
      const { id, read, reader } = yield* sellingAuthor(11)
      const { updatedAt } = yield* read
      const other = yield* sellingAuthor(12)
      const path = `/write/${id}/unpublish`
      const fields = fieldsOf(yield* tableOf(reader, "/desk/posts?show=paid"), path)
      assert.deepStrictEqual(fields, { revision: updatedAt, desk: "show=paid" })
      // A table that is older than the post takes nothing off the site, and the page leads back to it.
      const stale = yield* reader.post(path, { ...fields, revision: "2000-01-01T00:00:00.000000Z" })
      assert.strictEqual(stale.status, 409, stale.text)
      assert.deepInclude(fieldsOf(stale.text, path), { desk: "show=paid" })
      assert.strictEqual((yield* read).status, "published")
      assert.strictEqual((yield* other.reader.post(path, fields)).status, 404)
      for (const _ of [1, 2]) {
        const done = yield* reader.post(path, fields)
        assert.deepStrictEqual(
          [done.status, done.headers.get("location")],
          [303, "/desk/posts?show=paid&done=unpublish"]
        )
        assert.strictEqual((yield* read).status, "draft")
      }
      assert.include(
        yield* tableOf(reader, "/desk/posts?show=paid&done=unpublish"),
        "Your post is a draft again."
      )
      // The field leads nowhere else.
      for (const desk of ["https://evil.test", "//evil.test", "show=\r\nx: y&done=x", "?"]) {
        const { headers } = yield* reader.post(path, { ...fields, desk })
        assert.match(headers.get("location") ?? "", /^\/desk\/posts\?[\w.%=&+-]+$/)
      }
      for (const done of ["__proto__", "publish", "<b>"])
        assert.notInclude(
          yield* tableOf(reader, `/desk/posts?done=${encodeURIComponent(done)}`),
          'id="outcome"'
        )
    })
  )
})
