import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { now } from "../../../src/platform/time/now.ts"
import { ImportReader } from "../../../src/publishing/imports/ImportReader.ts"
import { inTime, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { importerOf, workImports } from "./importer.ts"
import { fileOf, ITEMS, readJsonItems, type SomeItem } from "./jsonItems.ts"

const PICTURES = 9
/** Moments without a turn of the screening. The import looks for room in between. */
const MOMENT = "300 millis"

let opened = 0

const counting = Layer.effect(
  ImportReader,
  Effect.map(ImportReader, (reader) =>
    ImportReader.of({
      open: (fileName, bytes) =>
        Effect.suspend(() => {
          opened += 1
          return reader.open(fileName, bytes)
        })
    })
  )
)

const world = service(database("test_import_many_pictures"), 1, {
  changePorts: (ports) =>
    Layer.merge(
      ports,
      counting.pipe(Layer.provide(ImportReaderMemory.layer(readJsonItems)), Layer.provide(ports))
    )
})

layer(world)("an import with many pictures", (it) => {
  it.effect("Posts whose pictures wait for their screening come from a file that is opened once", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const names = Array.from({ length: PICTURES }, (_, n) => `${n}.png`)
      const items = names.map((name): SomeItem => ({
        draft: { freeContent: `![p](${name})` },
        images: [{ url: name, alt: "p", from: { entry: name }, place: "text" }]
      }))
      const { id } = yield* author.imported(
        zipOf([
          { name: ITEMS, content: fileOf(items) },
          ...names.map((name, n) => ({ name, content: pngOf({ width: 8, height: 8, seed: n + 1 }) }))
        ])
      )
      opened = 0
      yield* author.apply(id)
      const began = yield* now
      const screening = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.sleep(MOMENT), workOff)))
      yield* inTime(workImports)
      yield* Fiber.interrupt(screening)
      const { images, state } = (yield* author.get(id)).body
      assert.deepInclude({ state, ...images }, { state: "done", admitted: PICTURES, failed: 0 })
      assert.strictEqual(opened, 1)
      assert.isBelow((yield* now).getTime() - began.getTime(), 5_000)
    })
  )
})
