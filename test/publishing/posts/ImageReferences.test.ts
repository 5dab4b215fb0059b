import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { NativeNode } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { now } from "../../../src/platform/time/now.ts"
import { ImageReferences } from "../../../src/publishing/posts/ImageReferences.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service } from "../../support/TestClient.ts"
import { doc, p, t } from "../content/native/nodes.ts"
import { columnsOf, image, markdown, other, url, without, writeNative } from "./rejectedImages.ts"
import { reject } from "./rejections.ts"

const video: NativeNode = { type: "youtube", attrs: { src: "https://video.test/1", start: 0, width: 640.5 } }

layer(service(database("test_posts_image_references")))("a rejected image (3.2, rule 6)", (it) => {
  it.effect("A rejected image leaves both sections and ogImage, and the Post has a new revision", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const draft = yield* author.draft({
        freeContentMarkdown: markdown,
        paidContentMarkdown: `Paid [![a](${url})](https://a.test) words`,
        enablePaywall: true,
        priceXno: "1",
        ogImage: url
      })
      assert.isTrue(yield* reject(draft.id, url))
      const { body } = yield* author.read(draft.id)
      assert.deepStrictEqual(body, {
        ...draft,
        freeContentMarkdown: without,
        paidContentMarkdown: "Paid  words",
        ogImage: null,
        ogImageEffective: other,
        updatedAt: body.updatedAt
      })
      const sql = yield* SqlClient.SqlClient
      const [{ isLater }] = (yield* sql<{ readonly isLater: boolean }>`
        select ${body.updatedAt}::timestamptz > ${draft.updatedAt}::timestamptz as "isLater"`) as [
        { readonly isLater: boolean }
      ]
      assert.isTrue(isLater)
      assert.isFalse(yield* reject(draft.id, url))
      assert.deepStrictEqual((yield* author.read(draft.id)).body, body)
    })
  )

  it.effect("A rejected image without a reference changes nothing", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const near = `\`![a](${url})\` ![a](${url}?1) x${url} \\![a](${other})`
      const draft = yield* author.draft({
        freeContentMarkdown: near,
        ogImage: `${url}#1`,
        canonicalUrl: url
      })
      const before = yield* columnsOf(draft.id)
      yield* TestClock.adjust("1 hour")
      assert.isFalse(yield* reject(draft.id, url))
      assert.deepStrictEqual(yield* columnsOf(draft.id), before)
    })
  )

  it.effect("A rejected image leaves by the addresses of its smaller copies, and other images stay", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      const folder = `${BASE_URL}/media/018f0000-0000-7000-8000`
      const [lost, kept] = [`${folder}-000000000002`, `${folder}-000000000003-640.webp`]
      const draft = yield* author.draft({
        freeContentMarkdown: `Before ![a](${lost}-640.webp) ![b](${kept})`,
        paidContentMarkdown: `Paid ![a](${lost}-320.jpeg)`,
        enablePaywall: true,
        priceXno: "1"
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update posts set og_image = ${new URL(`${lost}-1280.webp`).pathname} where id = ${draft.id}`
      assert.isTrue(yield* reject(draft.id, `${lost}.png`))
      const { body } = yield* author.read(draft.id)
      assert.strictEqual(body.freeContentMarkdown, `Before  ![b](${kept})`)
      assert.strictEqual(body.paidContentMarkdown, "Paid ")
      assert.isNull(body.ogImage)
      yield* writeNative(author, draft.id, { free: doc(p(t("x")), image(`${lost}-640.webp`)) })
      assert.isTrue(yield* reject(draft.id, `${lost}.png`))
      assert.notInclude(JSON.stringify(yield* columnsOf(draft.id)), lost)
    })
  )

  it.effect("A rejected image changes nothing in another owner's Post", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const stranger = yield* authorOf(4)
      const draft = yield* author.draft({ freeContentMarkdown: markdown })
      const foreign = yield* stranger.draft()
      const references = yield* ImageReferences
      const { owner_id } = yield* columnsOf(foreign.id)
      const ownerId = OwnerId.make(String(owner_id))
      const at = yield* now
      assert.isFalse(yield* references.remove({ ownerId, postId: PostId.make(draft.id), url, at }))
      assert.deepStrictEqual((yield* author.read(draft.id)).body, draft)
    })
  )

  it.effect("The other section stays the same byte for byte", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const draft = yield* author.draft({ freeContentMarkdown: markdown, paidContentMarkdown: "p" })
      const rich = doc(p(t("a")), video)
      yield* writeNative(author, draft.id, { paid: rich })
      const before = yield* columnsOf(draft.id)
      assert.isTrue(yield* reject(draft.id, url))
      const after = yield* columnsOf(draft.id)
      const changed = Object.keys(after).filter(
        (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name])
      )
      assert.deepStrictEqual(changed.toSorted(), [
        "first_image",
        "free_content_markdown",
        "updated_at",
        "version_sha256"
      ])
      assert.strictEqual(after["paid_content_native"], JSON.stringify(rich))
    })
  )

  it.effect("A rejected image leaves native documents, which keep content that Markdown cannot express", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const draft = yield* author.draft()
      yield* writeNative(author, draft.id, {
        free: doc(
          p(t("a"), image(url), t("b")),
          video,
          { type: "video", attrs: { src: "x", poster: url } },
          image(other)
        ),
        paid: doc(p(t("plain"), image(url)))
      })
      assert.strictEqual((yield* author.read(draft.id)).body.ogImageEffective, url)
      assert.isTrue(yield* reject(draft.id, url))
      const columns = yield* columnsOf(draft.id)
      const free = doc(p(t("a"), t("b")), video, { type: "video", attrs: { src: "x" } }, image(other))
      assert.deepInclude(columns, {
        free_content_native: JSON.stringify(free),
        free_content_markdown: `ab\n\n<https://video.test/1>\n\nx\n\n![](${other})\n`,
        free_unsupported: ["video", "youtube"],
        first_image: other,
        excerpt: "ab https://video.test/1 x",
        paid_content_native: JSON.stringify(doc(p(t("plain")))),
        paid_content_markdown: "plain\n",
        paid_unsupported: []
      })
      const { body } = yield* author.read(draft.id)
      assert.deepStrictEqual(body.contentEditability.free, {
        editable: false,
        unsupportedFeatures: ["video", "youtube"]
      })
      // The image alone may keep a section from being edited.
      yield* writeNative(author, draft.id, {
        free: doc(p({ type: "image", attrs: { src: url, width: 9 } }, t("a")))
      })
      assert.isFalse((yield* author.read(draft.id)).body.contentEditability.free.editable)
      assert.isTrue(yield* reject(draft.id, url))
      assert.isTrue((yield* author.read(draft.id)).body.contentEditability.free.editable)
    })
  )

  it.effect("A rejected image leaves even a section that is too complex to read", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(10)
      const sql = yield* SqlClient.SqlClient
      const draft = yield* author.draft()
      const deep = "> ".repeat(600)
      yield* sql`
        update posts set free_content_markdown = ${`${deep}![a](${url})`}, first_image = ${url} where id = ${draft.id}`
      assert.isTrue(yield* reject(draft.id, url))
      const { body } = yield* author.read(draft.id)
      assert.deepInclude(body, { freeContentMarkdown: `${deep}![a]()`, ogImageEffective: null })
    })
  )

  it.effect("A rejected image stays in the Post when the transaction of the verdict fails", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(11)
      const draft = yield* author.draft({ freeContentMarkdown: markdown, ogImage: url })
      const transactions = yield* Transactions
      const failed = yield* reject(draft.id, url).pipe(
        Effect.andThen(Effect.fail("later")),
        transactions.run,
        Effect.result
      )
      assert.isTrue(Result.isFailure(failed))
      assert.deepStrictEqual((yield* author.read(draft.id)).body, draft)
    })
  )

  it.effect("A removed image turns an edit of the earlier revision into a conflict (4.3.9)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(12)
      const draft = yield* author.draft({ freeContentMarkdown: markdown })
      assert.isTrue(yield* reject(draft.id, url))
      const stale = yield* author.patch(
        draft.id,
        { freeContentMarkdown: markdown },
        { "x-post-revision": draft.updatedAt }
      )
      assert.deepStrictEqual(refusalOf(stale), [409, "revision-conflict"])
    })
  )
})
