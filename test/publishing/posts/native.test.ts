import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { NativeDocument, NativeNode } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { doc, p, t } from "../content/native/nodes.ts"
import { editorOf, rich } from "./nativeEditor.ts"

layer(service(database("test_posts_native")))("native content (4.3.7)", (it) => {
  it.effect("A document that clears the paid section ends the paywall, as Markdown does (4.3.1)", () =>
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

  it.effect("The first image of a document is the effective OG image (2.7)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const image = doc(p({ type: "image", attrs: { src: "https://a.test/1.png" } }))
      assert.strictEqual(
        (yield* editor.write(draft.id, { free: image })).ogImageEffective,
        "https://a.test/1.png"
      )
      assert.isNull((yield* editor.write(draft.id, { free: rich })).ogImageEffective)
    })
  )

  it.effect("A stale revision is a conflict, and the right one is accepted in any spelling (4.3.9)", () =>
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

  it.effect("A value that is invalid, too deep or too long is refused and changes nothing", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(10)
      const editor = yield* editorOf(author)
      const draft = yield* author.draft()
      const nested = (depth: number) => {
        let node: NativeNode = p(t("deep"))
        for (let n = 0; n < depth; n++) node = { type: "blockquote", content: [node] }
        return doc(node)
      }
      const refusals: ReadonlyArray<readonly [unknown, string]> = [
        ["text", "invalid"],
        [{ type: "doc" }, "invalid"],
        [{ type: "paragraph", content: [] }, "invalid"],
        [doc({ type: "text" } as NativeNode), "invalid"],
        [doc(p(t("a\0b"))), "invalid"],
        [doc(p(t("\ud800"))), "invalid"],
        [nested(509), "too_complex"],
        [nested(510), "invalid"],
        [doc(p(t("a".repeat(200_000)))), "too_long"]
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
      yield* editor.write(draft.id, { paid: doc(p(t("a".repeat(199_999)))) })
    })
  )

  it.effect("A public Post stays complete, so emptying it is refused (3.1)", () =>
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

  it.effect("Another author's Post is not found, neither to read nor to write", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(12)
      const stranger = yield* editorOf(yield* authorOf(13))
      const draft = yield* author.draft()
      assert.strictEqual((yield* Effect.flip(stranger.read(draft.id)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(stranger.write(draft.id, { free: null })))._tag, "NotFound")
    })
  )
})

layer(Layer.empty)("native content in two parallel processes", (it) => {
  it.effect("Of concurrent writes from one revision one is saved, and the others are conflicts", () =>
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
