import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { doc, p, t } from "../content/native/nodes.ts"
import { editorOf, rich, richFeatures } from "./nativeEditor.ts"

const storedBytes = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly free: string | null; readonly paid: string | null }>`
    select free_content_native::text as free, paid_content_native::text as paid from posts where id = ${id}`
  return row
})

layer(service(database("test_posts_not_editable")))("native content (4.3.7)", (it) => {
  it.effect("Content that Markdown cannot express is named, and the rest is shown", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const post = yield* editor.write(draft.id, { free: rich })
      assert.strictEqual(post.freeContentMarkdown, "Watch this\n\n<https://video.test/1>\n")
      assert.deepStrictEqual(post.contentEditability, {
        free: { editable: false, unsupportedFeatures: richFeatures },
        paid: { editable: true, unsupportedFeatures: [] }
      })
      assert.notStrictEqual(post.updatedAt, draft.updatedAt)
      assert.deepStrictEqual((yield* author.read(draft.id)).body, post)
      assert.deepStrictEqual(yield* editor.read(draft.id), {
        revision: post.updatedAt,
        free: rich,
        paid: null
      })
    })
  )

  it.effect("A section that cannot be edited survives every PATCH that omits it, byte for byte", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft({ paidContentMarkdown: "paid", enablePaywall: true, priceXno: "1" })
      yield* editor.write(draft.id, { free: rich, paid: rich })
      const bytes = JSON.stringify(rich)
      const patches: ReadonlyArray<object> = [
        { title: "Other" },
        { description: "Other", language: "de" },
        { enablePaywall: false },
        { enablePaywall: true, priceXno: "2" },
        { ogImage: "https://a.test/og.png", slug: "other", creationDetails: "x" },
        { freeContentMarkdown: undefined, commentsEnabled: false }
      ]
      for (const patch of patches) {
        const { body, status } = yield* author.patch(draft.id, patch)
        assert.strictEqual(status, 200)
        assert.isFalse(body.contentEditability.free.editable)
        assert.strictEqual(body.paidContentMarkdown, "Watch this\n\n<https://video.test/1>\n")
        assert.deepStrictEqual(yield* storedBytes(draft.id), { free: bytes, paid: bytes })
      }
      yield* author.publish(draft.id)
      yield* author.unpublish(draft.id)
      assert.deepStrictEqual(yield* storedBytes(draft.id), { free: bytes, paid: bytes })
    })
  )

  it.effect("Rewriting or clearing such a section is 422 content-not-editable with its codes", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const post = yield* editor.write(draft.id, { free: rich })
      for (const section of ["new", "", null, post.freeContentMarkdown]) {
        const refused = yield* author.patch(draft.id, { title: "lost?", freeContentMarkdown: section })
        assert.deepStrictEqual(refusalOf(refused), [
          422,
          "content-not-editable",
          "freeContentMarkdown unsupported_stored_content"
        ])
        assert.deepStrictEqual(refused.body.features, richFeatures)
        assert.include(refused.body.errors[0].message, "text_style, youtube")
      }
      // Also beside another error, and in a stale edit after the check of its revision.
      const both = yield* author.patch(draft.id, { freeContentMarkdown: "<b>", paidContentMarkdown: "<b>" })
      assert.strictEqual(both.body.type.replace(/^.*\//, ""), "content-not-editable")
      const stale = yield* author.patch(
        draft.id,
        { freeContentMarkdown: "x" },
        { "x-post-revision": draft.updatedAt }
      )
      assert.deepStrictEqual(refusalOf(stale), [409, "revision-conflict"])
      assert.deepStrictEqual((yield* author.read(draft.id)).body, post)

      const other = yield* author.patch(draft.id, { paidContentMarkdown: "the other section can be" })
      assert.strictEqual(other.status, 200)
    })
  )

  it.effect("Both sections are named when both cannot be edited", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const tasks = doc({
        type: "taskList",
        content: [{ type: "taskItem", content: [p(t("a"))] }]
      })
      yield* editor.write(draft.id, { free: rich, paid: tasks })
      const refused = yield* author.patch(draft.id, { freeContentMarkdown: "a", paidContentMarkdown: null })
      assert.deepStrictEqual(refusalOf(refused), [
        422,
        "content-not-editable",
        "freeContentMarkdown unsupported_stored_content",
        "paidContentMarkdown unsupported_stored_content"
      ])
      assert.deepStrictEqual(refused.body.features, ["task_list", "text_style", "youtube"])
    })
  )

  it.effect(
    "A document that Markdown can express is editable, and becomes the Markdown that was written",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(5)
        const editor = yield* editorOf(author)
        const draft = yield* author.draft()
        const plain = doc(p(t("a "), t("b", "underline"), t(" c")))
        const post = yield* editor.write(draft.id, { free: plain })
        assert.strictEqual(post.freeContentMarkdown, "a ++b++ c\n")
        assert.deepStrictEqual(post.contentEditability.free, { editable: true, unsupportedFeatures: [] })
        assert.strictEqual((yield* storedBytes(draft.id))?.free, JSON.stringify(plain))

        const patched = yield* author.patch(draft.id, { freeContentMarkdown: "**d**" })
        assert.strictEqual(patched.body.freeContentMarkdown, "**d**")
        assert.isNull((yield* storedBytes(draft.id))?.free)
        const { free } = yield* editor.read(draft.id)
        assert.deepStrictEqual(free, doc(p(t("d", "bold"))))
        const cleared = yield* author.patch(draft.id, { freeContentMarkdown: null, paidContentMarkdown: "p" })
        assert.isNull(cleared.body.freeContentMarkdown)
        assert.isNull((yield* editor.read(draft.id)).free)
      })
  )

  it.effect("Another service may rewrite and clear a section that Markdown may not", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      yield* editor.write(draft.id, { free: rich })
      const post = yield* editor.write(draft.id, { free: doc(p(t("plain"))) })
      assert.isTrue(post.contentEditability.free.editable)
      yield* editor.write(draft.id, { free: rich })
      const cleared = yield* editor.write(draft.id, { free: null })
      assert.isNull(cleared.freeContentMarkdown)
      assert.isTrue(cleared.contentEditability.free.editable)
      // A document without content is empty, like white space in Markdown.
      const empty = yield* editor.write(draft.id, { free: doc({ type: "paragraph" }) })
      assert.isNull(empty.freeContentMarkdown)
      assert.isNull((yield* storedBytes(draft.id))?.free)
    })
  )
})
