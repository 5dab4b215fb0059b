import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { now } from "../../../src/platform/time/now.ts"
import { NativeContents } from "../../../src/publishing/posts/NativeContents.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { publicTextOf } from "./paidReader.ts"
import { url } from "./rejectedImages.ts"
import { reject } from "./rejections.ts"

const image = `![a](${url})`
const paid = { paidContentMarkdown: image, enablePaywall: true, priceXno: "1" }

const contentOf = Effect.fnUntraced(function* (id: string) {
  const client = yield* TestClient
  const { body } = yield* client.send("GET", `/api/posts/${id}/public-content`)
  return [body.available, body.reason, body.contentMarkdown]
})

layer(service(database("test_posts_paid_text")))("text that is written as paid (3.2.6, 4.3.1)", (it) => {
  it.effect("Paid text stays behind the paywall after the only image of the section was rejected", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id, priceRaw } = yield* author.published(paid)
      assert.isTrue(yield* reject(id, url))
      const { body } = yield* author.read(id)
      assert.deepInclude(body, { paidContentMarkdown: null, enablePaywall: true, priceRaw })
      assert.deepStrictEqual(yield* contentOf(id), [false, "paid", null])
      const edited = yield* author.patch(id, { title: "Other" })
      assert.deepInclude(edited.body, { paidContentMarkdown: null, enablePaywall: true, priceRaw })
      const written = yield* author.patch(id, { paidContentMarkdown: "secret" })
      assert.deepInclude(written.body, { paidContentMarkdown: "secret", enablePaywall: true, priceRaw })
      assert.notInclude(yield* publicTextOf(id, author), "secret")
    })
  )

  it.effect("Paid text stays behind the paywall of a Post with files, which can be edited meanwhile", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { id, priceRaw } = yield* author.published(paid)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into post_attachments (id, post_id, owner_id, file_name, byte_size, state, created_at)
        select id, id, owner_id, 'a.zip', 1, 'ready', ${yield* now} from posts where id = ${id}`
      assert.isTrue(yield* reject(id, url))
      const edited = yield* author.patch(id, { title: "Other" })
      assert.strictEqual(edited.status, 200, edited.text)
      assert.deepInclude(edited.body, { enablePaywall: true, priceRaw })
      for (const patch of [{ enablePaywall: false }, { paidContentMarkdown: null }]) {
        assert.strictEqual((yield* author.patch(id, patch)).status, 422)
      }
      const written = yield* author.patch(id, { paidContentMarkdown: "secret" })
      assert.deepInclude(written.body, { enablePaywall: true, priceRaw })
    })
  )

  it.effect("Paid text that was cleared and written again needs a price, or enablePaywall false", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const { id } = yield* author.published({ ...paid, paidContentMarkdown: "first" })
      const cleared = yield* author.patch(id, { paidContentMarkdown: null })
      assert.deepInclude(cleared.body, { enablePaywall: false, priceRaw: null })
      const rewritten = yield* author.patch(id, { paidContentMarkdown: "secret" })
      assert.deepStrictEqual(refusalOf(rewritten), [422, "publication-incomplete", "priceRaw required"])
      assert.notInclude(yield* publicTextOf(id, author), "secret")
      const priced = yield* author.patch(id, { paidContentMarkdown: "secret", priceXno: "2" })
      assert.deepInclude(priced.body, { enablePaywall: true, priceRaw: `2${"0".repeat(30)}` })
      assert.notInclude(yield* publicTextOf(id, author), "secret")
      yield* author.patch(id, { enablePaywall: false })
      assert.include(yield* publicTextOf(id, author), "secret")
    })
  )

  it.effect("Paid text goes behind the paywall that a draft asked for earlier", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const draft = yield* author.draft({ enablePaywall: true, priceXno: "1" })
      assert.deepInclude(draft, { enablePaywall: false, priceRaw: null })
      const written = yield* author.patch(draft.id, { paidContentMarkdown: "secret", priceXno: "1" })
      assert.strictEqual(written.body.enablePaywall, true)
    })
  )

  it.effect("A Post with an empty paid section cannot be published again", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const { id } = yield* author.published(paid)
      assert.isTrue(yield* reject(id, url))
      yield* author.unpublish(id)
      const refused = yield* author.publish(id, "again")
      assert.deepStrictEqual(refusalOf(refused), [422, "publication-incomplete", "content required"])
      yield* author.patch(id, { enablePaywall: false })
      assert.strictEqual((yield* author.publish(id, "again")).status, 200)
    })
  )

  it.effect("Paid text may be a native document that Markdown has no text for", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const contents = yield* NativeContents
      const { id, priceRaw } = yield* author.published({ ...paid, paidContentMarkdown: "words" })
      const video: NativeDocument = { type: "doc", content: [{ type: "video" }] }
      yield* author.asService((publisher, post) => contents.write(publisher, post, { paid: video }))(id)
      assert.deepInclude((yield* author.read(id)).body, { enablePaywall: true, priceRaw })
      const priced = yield* author.patch(id, { enablePaywall: true })
      assert.deepInclude(priced.body, { enablePaywall: true, priceRaw })
    })
  )
})
