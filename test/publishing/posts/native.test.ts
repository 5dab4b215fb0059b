import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { NativeDocument, NativeNode } from "../../../schemas/publishing/content/NativeDocument.ts"
import type { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import { NativeContents, type NativePatch } from "../../../src/publishing/posts/NativeContents.ts"
import { type Author, authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

const document = (...content: ReadonlyArray<NativeNode>): NativeDocument => ({ type: "doc", content })
const paragraph = (...content: ReadonlyArray<NativeNode>): NativeNode => ({ type: "paragraph", content })
const text = (text: string, ...marks: ReadonlyArray<{ type: string }>): NativeNode => ({
  type: "text",
  text,
  ...(marks.length === 0 ? {} : { marks })
})

/** Content that Markdown cannot express: a video and a colour. */
const rich = document(
  paragraph(text("Watch "), {
    type: "text",
    text: "this",
    marks: [{ type: "textStyle", attrs: { color: "#f00" } } as { type: string }]
  }),
  { type: "youtube", attrs: { src: "https://video.test/1", start: 0, width: 640.5 } }
)
const richFeatures = ["text_style", "youtube"]

/** The calls of another service that holds an author's key. */
const editorOf = Effect.fnUntraced(function* (author: Author) {
  const contents = yield* NativeContents
  const context = yield* Effect.context<ApiKeys>()
  const write = (id: string, patch: NativePatch, revision?: string) =>
    Effect.provide(
      author.asService((publisher, id) => contents.write(publisher, id, patch, revision))(id),
      context
    )
  return {
    read: (id: string) => Effect.provide(author.asService(contents.read)(id), context),
    write
  }
})

const storedBytes = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly free: string | null; readonly paid: string | null }>`
    select free_content_native::text as free, paid_content_native::text as paid from posts where id = ${id}`
  return row
})

layer(service(database("test_posts_native")))("native content (4.3.7)", (it) => {
  it.effect("content that Markdown cannot express is named, the rest is shown", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const post = yield* editor.write(draft.id, { free: rich })
      assert.strictEqual(post.freeContentMarkdown, "Watch this\n\nhttps://video.test/1\n")
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

  it.effect("a section that cannot be edited survives every PATCH that omits it, byte for byte", () =>
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
        assert.strictEqual(body.paidContentMarkdown, "Watch this\n\nhttps://video.test/1\n")
        assert.deepStrictEqual(yield* storedBytes(draft.id), { free: bytes, paid: bytes })
      }
      yield* author.publish(draft.id)
      yield* author.unpublish(draft.id)
      assert.deepStrictEqual(yield* storedBytes(draft.id), { free: bytes, paid: bytes })
    })
  )

  it.effect("rewriting it, and clearing it with null, is 422 content-not-editable with its codes", () =>
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

  it.effect("both sections are named when both cannot be edited", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const tasks = document({
        type: "taskList",
        content: [{ type: "taskItem", content: [paragraph(text("a"))] }]
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
    "a document that Markdown can express is editable, and becomes the Markdown that is written",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(5)
        const editor = yield* editorOf(author)
        const draft = yield* author.draft()
        const plain = document(paragraph(text("a "), text("b", { type: "underline" }), text(" c")))
        const post = yield* editor.write(draft.id, { free: plain })
        assert.strictEqual(post.freeContentMarkdown, "a ++b++ c\n")
        assert.deepStrictEqual(post.contentEditability.free, { editable: true, unsupportedFeatures: [] })
        assert.strictEqual((yield* storedBytes(draft.id))?.free, JSON.stringify(plain))

        const patched = yield* author.patch(draft.id, { freeContentMarkdown: "**d**" })
        assert.strictEqual(patched.body.freeContentMarkdown, "**d**")
        assert.isNull((yield* storedBytes(draft.id))?.free)
        const { free } = yield* editor.read(draft.id)
        assert.deepStrictEqual(free, document(paragraph(text("d", { type: "bold" }))))
        const cleared = yield* author.patch(draft.id, { freeContentMarkdown: null, paidContentMarkdown: "p" })
        assert.isNull(cleared.body.freeContentMarkdown)
        assert.isNull((yield* editor.read(draft.id)).free)
      })
  )

  it.effect("another service may rewrite and clear a section that Markdown may not", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      yield* editor.write(draft.id, { free: rich })
      const post = yield* editor.write(draft.id, { free: document(paragraph(text("plain"))) })
      assert.isTrue(post.contentEditability.free.editable)
      yield* editor.write(draft.id, { free: rich })
      const cleared = yield* editor.write(draft.id, { free: null })
      assert.isNull(cleared.freeContentMarkdown)
      assert.isTrue(cleared.contentEditability.free.editable)
      // A document without content is empty, like white space in Markdown.
      const empty = yield* editor.write(draft.id, { free: document({ type: "paragraph" }) })
      assert.isNull(empty.freeContentMarkdown)
      assert.isNull((yield* storedBytes(draft.id))?.free)
    })
  )

  it.effect("clearing the paid section by a document ends the paywall, as by Markdown (4.3.1)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft({ paidContentMarkdown: "p", enablePaywall: true, priceXno: "1" })
      const kept = yield* editor.write(draft.id, { paid: rich })
      assert.deepInclude(kept, { enablePaywall: true, priceRaw: draft.priceRaw })
      const free = yield* editor.write(draft.id, { paid: null })
      assert.deepInclude(free, { enablePaywall: false, priceRaw: null })
    })
  )

  it.effect("the first image of a document is the effective OG image (2.7)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const image = document(paragraph({ type: "image", attrs: { src: "https://a.test/1.png" } }))
      assert.strictEqual(
        (yield* editor.write(draft.id, { free: image })).ogImageEffective,
        "https://a.test/1.png"
      )
      assert.isNull((yield* editor.write(draft.id, { free: rich })).ogImageEffective)
    })
  )

  it.effect("a stale revision is a conflict, the right one is accepted in any spelling (4.3.9)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const first = yield* editor.write(draft.id, { free: rich }, draft.updatedAt)
      const conflict = yield* Effect.flip(editor.write(draft.id, { free: null }, draft.updatedAt))
      assert.strictEqual(conflict._tag, "RevisionConflict")
      const { revision } = yield* editor.read(draft.id)
      assert.strictEqual(revision, first.updatedAt)
      yield* editor.write(draft.id, { free: null }, revision.replace("Z", "+00:00"))
    })
  )

  it.effect("a value that is invalid, too deep or too long is refused and changes nothing", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(10)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const nested = (depth: number) => {
        let node: NativeNode = paragraph(text("deep"))
        for (let n = 0; n < depth; n++) node = { type: "blockquote", content: [node] }
        return document(node)
      }
      const refusals: ReadonlyArray<readonly [unknown, string]> = [
        ["text", "invalid"],
        [{ type: "doc" }, "invalid"],
        [{ type: "paragraph", content: [] }, "invalid"],
        [document({ type: "text" } as NativeNode), "invalid"],
        [document(paragraph(text("a\0b"))), "invalid"],
        [document(paragraph(text("\ud800"))), "invalid"],
        [nested(509), "too_complex"],
        [nested(510), "invalid"],
        [document(paragraph(text("a".repeat(200_000)))), "too_long"]
      ]
      for (const [wrong, code] of refusals) {
        const refusal = yield* Effect.flip(editor.write(draft.id, { paid: wrong as NativeDocument }))
        if (refusal._tag !== "Validation") return assert.fail(refusal._tag)
        assert.deepStrictEqual(
          refusal.errors?.map((it) => `${it.field} ${it.code}`),
          [`paid ${code}`]
        )
      }
      assert.deepStrictEqual((yield* author.read(draft.id)).body, draft)
      yield* editor.write(draft.id, { paid: document(paragraph(text("a".repeat(199_999)))) })
    })
  )

  it.effect("a public Post stays complete: emptying it is refused (3.1)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(11)
      const editor = yield* editorOf(author)
      const post = yield* author.published({ paidContentMarkdown: null, freeContentMarkdown: "free" })
      const refusal = yield* Effect.flip(editor.write(post.id, { free: null }))
      assert.strictEqual(refusal._tag, "PublicationIncomplete")
      const edited = yield* editor.write(post.id, { free: rich })
      assert.strictEqual(edited.status, "published")
    })
  )

  it.effect("of another author's Post is not found, to read and to write", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(12)
      const stranger = yield* editorOf(yield* authorOf(13))
      const draft = yield* author.draft()
      assert.strictEqual((yield* Effect.flip(stranger.read(draft.id)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(stranger.write(draft.id, { free: null })))._tag, "NotFound")
    })
  )
})

layer(Layer.empty)("native content in two processes at once", (it) => {
  it.effect("of writes from one revision one is saved, the others are conflicts", () =>
    Effect.gen(function* () {
      const [one, two] = yield* twoAssemblies("test_posts_native_races")
      const author = yield* Effect.provide(authorOf(1), one)
      const draft = yield* author.draft()
      const editors = yield* Effect.forEach([one, two], (process) =>
        Effect.provide(editorOf(author), process)
      )
      const patch = (n: number) =>
        author.patch(draft.id, { title: `t${n}` }, { "if-match": draft.updatedAt }).pipe(
          Effect.filterOrFail((it) => it.status === 200),
          Effect.map((it) => it.body),
          Effect.option
        )
      const write = (n: number) =>
        Effect.option(editors[n % 2]!.write(draft.id, { free: rich }, draft.updatedAt))
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => n),
        (n) => (n % 3 === 0 ? patch(n) : write(n)),
        { concurrency: "unbounded" }
      )
      const saved = outcomes.flatMap(Option.toArray)
      assert.lengthOf(saved, 1)
      const sql = Context.get(one, SqlClient.SqlClient)
      assert.lengthOf(yield* sql`select 1 from posts`, 1)
      assert.deepStrictEqual((yield* author.read(draft.id)).body, saved[0])
    }).pipe(Effect.scoped)
  )
})
