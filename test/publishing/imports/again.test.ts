import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { media } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { importerOf, withJsonItems, workImports } from "./importer.ts"

const picture = pngOf({ width: 8, height: 8, seed: 1 })

layer(service(database("test_import_again"), 1, withJsonItems))("items that are applied again", (it) => {
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
})
