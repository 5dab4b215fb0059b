import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { ReportLine } from "../../../schemas/publishing/imports/Item.ts"
import type { NativeNode } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { withSettings } from "../../../src/platform/ports/Settings.ts"
import { inTime, media, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { type MadeEntry, zipOf } from "../archives/makeZip.ts"
import { p, t } from "../content/native/nodes.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { rich } from "../posts/nativeEditor.ts"
import { rejecting } from "../uploads/screenings.ts"
import { type Importer, importerOf, withJsonItems, workImports } from "./importer.ts"
import { fileOf, ITEMS, type SomeItem } from "./jsonItems.ts"

const picture = pngOf({ width: 8, height: 8, seed: 1 })

const small = service(database("test_import_again"), 1, withJsonItems).pipe(
  Layer.provide(withSettings({ accountStorageMb: 1 }))
)

/** Fills the storage of an account, so that nothing may grow beyond `room`. Returns the Post that does. */
const fill = Effect.fnUntraced(function* (author: Importer, room = 0) {
  const sql = yield* SqlClient.SqlClient
  const { id } = yield* author.draft()
  yield* sql`update posts set free_content_markdown = repeat('a', ${1024 * 1024 - room}::int4) where id = ${id}`
  return id as string
})

/** Makes a file of one post with a picture. */
const fileWith = (content: Uint8Array) => {
  const item: SomeItem = {
    draft: { freeContent: "![p](a.png)" },
    images: [{ url: "a.png", alt: "p", from: { entry: "a.png" }, place: "text" }]
  }
  return zipOf([
    { name: ITEMS, content: fileOf([item]) },
    { name: "a.png", content }
  ])
}

layer(small)("items that are applied again", (it) => {
  it.effect("A picture within the text comes again after an undo", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const data = Buffer.from(picture).toString("base64")
      const { id } = yield* author.imported([
        {
          draft: { freeContent: "![p](data-1)" },
          images: [{ url: "data-1", alt: "p", from: { data, type: "image/png" }, place: "text" }]
        }
      ])
      for (let n = 0; n < 3; n++) {
        yield* author.apply(id)
        yield* workImports
        const [item] = (yield* author.items(id)).body.data
        assert.deepStrictEqual([item.report, item.images], [[], { total: 1, admitted: 1, failed: 0 }])
        const { freeContentMarkdown } = (yield* author.read(item.postId)).body
        const url = /^!\[p\]\((.*)\)$/.exec(freeContentMarkdown)?.[1] ?? ""
        assert.strictEqual((yield* media(url)).status, 200)
        assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 1, kept: 0 })
        const [undone] = (yield* author.items(id)).body.data
        assert.deepStrictEqual(undone.images, { total: 1, admitted: 0, failed: 0 })
      }
    })
  )

  it.effect("An undo deletes an untouched draft that could not be brought up to date", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const { id } = yield* author.imported([
        {
          draft: { freeContent: "![gone](b.png)" },
          images: [{ url: "b.png", alt: "gone", from: { missing: "b.png" }, place: "text" }]
        }
      ])
      yield* author.apply(id)
      yield* workImports
      const [{ id: itemId, outcome }] = (yield* author.items(id)).body.data
      assert.strictEqual(outcome, "created")
      yield* fill(author)
      yield* author.apply(id, { items: [itemId], siteUrl: "https://old.test", fetchImages: false })
      yield* workImports
      const [item] = (yield* author.items(id)).body.data
      assert.deepStrictEqual(
        [item.outcome, item.report.map(({ code }: { readonly code: string }) => code)],
        ["created", ["not_applied"]]
      )
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 1, kept: 0 })
    })
  )

  it.effect("A picture of an update that is refused comes with the next one", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(4)
      const { id } = yield* author.imported(fileWith(pngOf({ width: 200, height: 200, seed: 1 })))
      const [{ id: itemId }] = (yield* author.items(id)).body.data
      const apply = Effect.gen(function* () {
        yield* author.apply(id, { items: [itemId] })
        yield* workImports
        return (yield* author.items(id)).body.data[0]
      })
      const almost = yield* fill(author, 10_000)
      assert.deepInclude(yield* apply, { outcome: "created", images: { total: 1, admitted: 0, failed: 1 } })
      const wholly = yield* fill(author)
      assert.strictEqual((yield* apply).report[0].code, "not_applied")
      yield* author.remove(almost)
      yield* author.remove(wholly)
      assert.deepInclude(yield* apply, { outcome: "created", images: { total: 1, admitted: 1, failed: 0 } })
    })
  )

  it.effect("Pictures of a draft that is refused are stored once", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(3)
      const { id } = yield* author.imported(fileWith(picture))
      const [{ id: itemId }] = (yield* author.items(id)).body.data
      const storage = yield* ObjectStorage
      const objects = Stream.runCollect(storage.list(`imports/${id}/`))
      const apply = Effect.gen(function* () {
        yield* author.apply(id, { items: [itemId] })
        yield* workImports
        return (yield* author.items(id)).body.data[0]
      })
      const filling = yield* fill(author)
      const refused = yield* apply
      assert.deepInclude(refused, { outcome: "failed", postId: null })
      assert.strictEqual(refused.report[0].code, "storage_full")
      const stored = yield* objects
      yield* apply
      assert.deepStrictEqual(yield* objects, stored)
      yield* author.remove(filling)
      assert.deepInclude(yield* apply, { outcome: "created", images: { total: 1, admitted: 1, failed: 0 } })
    })
  )

  it.effect(
    "A newer section that Markdown cannot say and that does not come whole is brought another time",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(5)
        const native = (...nodes: ReadonlyArray<NativeNode>) => ({
          free: JSON.stringify({ ...rich, content: [...(rich.content ?? []), ...nodes] }),
          paid: null
        })
        const first = yield* author.imported([{ sourceId: "rich", sha256: "1", native: native(p(t("Old"))) }])
        yield* author.apply(first.id)
        yield* workImports
        const [{ postId }] = (yield* author.items(first.id)).body.data
        const text = Effect.map(author.read(postId), ({ body }) => body.freeContentMarkdown as string)
        assert.match(yield* text, /Old\n$/)

        const newer = (file: ReadonlyArray<MadeEntry>) =>
          Effect.gen(function* () {
            const item: SomeItem = {
              sourceId: "rich",
              sha256: "2",
              draft: { freeContent: "New ![p](a.png)" },
              native: native({ type: "image", attrs: { src: "a.png" } }, p(t("New"))),
              images: [{ url: "a.png", alt: "p", from: { entry: "a.png" }, place: "text" }]
            }
            const { counts, id } = yield* author.imported(
              zipOf([{ name: ITEMS, content: fileOf([item]) }, ...file])
            )
            assert.deepInclude(counts, { update: 1, unchanged: 0 })
            yield* author.apply(id)
            yield* workImports
            return (yield* author.items(id)).body.data[0]
          })
        const failed = yield* newer([])
        assert.deepStrictEqual(
          failed.report.map(({ code, section, severity }: ReportLine) => [severity, code, section]),
          [
            ["lost", "image_missing", "free"],
            ["stop", "not_applied", "free"]
          ]
        )
        assert.match(yield* text, /Old\n$/)
        const whole = yield* newer([{ name: "a.png", content: picture }])
        assert.deepStrictEqual(whole.report, [])
        assert.match(yield* text, /\/media\/[^]*New\n$/)
      })
  )

  it.effect("An undo deletes a draft whose file was rejected by its screening", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(6)
      const item: SomeItem = {
        access: "paid",
        draft: { accessKind: "paid", paidContent: "Walled", priceXno: "0.5" },
        attachments: [{ entry: "files/data.zip", name: "data.zip" }]
      }
      const { id } = yield* author.imported(
        zipOf([
          { name: ITEMS, content: fileOf([item]) },
          { name: "files/data.zip", content: zipOf([{ name: "a.txt", content: "words" }]) }
        ])
      )
      yield* author.apply(id)
      yield* workOff
      yield* inTime(workImports)
      yield* rejecting
      assert.strictEqual((yield* author.get(id)).body.state, "done")
      const [{ postId }] = (yield* author.items(id)).body.data
      assert.isEmpty((yield* author.read(postId)).body.attachments)
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 1, kept: 0 })
    })
  )
})
