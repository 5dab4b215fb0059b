import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { importerOf, withJsonItems, workImports } from "./importer.ts"
import type { SomeItem } from "./jsonItems.ts"

layer(service(database("test_import_own"), 1, withJsonItems))("files of our own export", (it) => {
  it.effect(
    "In the account that it came from, a file is compared with its Post, and in another one it is new",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(1)
        const picture = "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2f.png"
        const post = yield* author.draft({
          title: "Mine",
          description: "Of mine",
          freeContentMarkdown: `Words ![p](${picture})`,
          paidContentMarkdown: null,
          enablePaywall: false,
          priceXno: null
        })
        const item = (freeContent: string): SomeItem => ({
          kind: "pennypress",
          sourceId: post.id,
          slug: post.slug,
          draft: { title: "Mine", description: "Of mine", language: post.language, freeContent },
          images: [{ url: "/media/3f9a0c11d2e4b576.png", alt: "p", from: { missing: "x" }, place: "text" }]
        })
        const same = yield* author.imported([item("Words ![p](/media/3f9a0c11d2e4b576.png)\n")])
        assert.deepInclude(same.counts, { unchanged: 1, new: 0 })
        yield* author.cancelImport(same.id)
        const changed = yield* author.imported([item("Other words")])
        assert.deepInclude(changed.counts, { conflict: 1 })
        const [{ id, postId }] = (yield* author.items(changed.id)).body.data
        assert.strictEqual(postId, post.id)
        yield* author.apply(changed.id, { items: [id] })
        yield* workImports
        assert.strictEqual((yield* author.read(post.id)).body.freeContentMarkdown, `Words ![p](${picture})`)
        yield* author.apply(changed.id, { items: [id], onConflict: "replace" })
        yield* workImports
        assert.strictEqual((yield* author.read(post.id)).body.freeContentMarkdown, "Other words")

        const other = yield* importerOf(2)
        const elsewhere = yield* other.imported([item("Words")])
        assert.deepInclude(elsewhere.counts, { new: 1 })
        yield* other.apply(elsewhere.id)
        yield* workImports
        const [made] = (yield* other.items(elsewhere.id)).body.data
        assert.notStrictEqual(made.postId, post.id)
        const again = yield* other.imported([item("Words")])
        assert.deepInclude(again.counts, { unchanged: 1 })
      })
  )
})
