import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { ImportReader } from "../../../src/publishing/imports/ImportReader.ts"
import { Uploads } from "../../../src/publishing/uploads/Uploads.ts"
import { inTime, media, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { importerOf, workImports } from "./importer.ts"
import { fileOf, ITEMS, readJsonItems, type SomeItem } from "./jsonItems.ts"

const PICTURES = 9

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

/** Makes a file of posts with a picture each. */
const withPictures = (count: number) => {
  const names = Array.from({ length: count }, (_, n) => `${n}.png`)
  const items = names.map((name): SomeItem => ({
    draft: { freeContent: `![p](${name})` },
    images: [{ url: name, alt: "p", from: { entry: name }, place: "text" }]
  }))
  return zipOf([
    { name: ITEMS, content: fileOf(items) },
    ...names.map((name, n) => ({ name, content: pngOf({ width: 8, height: 8, seed: n + 1 }) }))
  ])
}

layer(world)("an import with many pictures", (it) => {
  it.effect("Posts whose pictures wait for their screening come from a file that is opened once", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const { id } = yield* author.imported(withPictures(PICTURES))
      opened = 0
      yield* author.apply(id)
      const work = { isOver: false }
      const working = yield* Effect.forkChild(
        Effect.ensuring(
          workImports,
          Effect.sync(() => (work.isOver = true))
        )
      )
      while (!work.isOver) {
        yield* onRealClock(Effect.sleep(20))
        yield* workOff
        yield* TestClock.adjust(100)
      }
      yield* Fiber.join(working)
      const { images, state } = (yield* author.get(id)).body
      assert.deepInclude({ state, ...images }, { state: "done", admitted: PICTURES, failed: 0 })
      assert.strictEqual(opened, 1)
    })
  )

  it.effect("A picture that a killed process was storing is admitted when its lease ends, and not lost", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const { id } = yield* author.imported(withPictures(1))
      // Own uploads leave the import no room, so that its picture waits.
      const own = yield* author.draft()
      for (let n = 0; n < 4; n++)
        yield* author.inline(own, { headers: { "x-upload-target-key": `own-${n}` } })
      yield* author.apply(id)
      yield* inTime(workImports)
      yield* workOff
      const sql = yield* SqlClient.SqlClient
      const [item] = yield* sql<{ readonly post_id: string; readonly picture: string }>`
        select post_id, pictures -> 0 ->> 'operationId' as picture from import_items where import_id = ${id}`
      const { picture, post_id } = item!
      const uploads = yield* Uploads
      const importedAs = UploadOperationId.make(picture)
      const storing = yield* Effect.forkChild(
        author.asService((publisher) =>
          uploads.admit(
            publisher,
            {
              target: { kind: "inline", id: UploadTargetId.make(post_id), key: picture },
              requestKey: `import-${picture}`,
              revision: undefined,
              requestBytes: 100,
              importedAs
            },
            Effect.succeed({ mediaType: "image/png", bytes: Stream.never })
          )
        )(post_id)
      )
      yield* TestClock.adjust("5 seconds")
      yield* inTime(workImports)
      assert.strictEqual((yield* author.get(id)).body.state, "applying")
      yield* Fiber.interrupt(storing)
      yield* TestClock.adjust("5 seconds")
      yield* inTime(workImports)
      yield* workOff
      assert.deepInclude((yield* author.get(id)).body.images, { admitted: 1, failed: 0 })
      const { freeContentMarkdown } = (yield* author.read(post_id)).body
      const url = /\((.*)\)/.exec(freeContentMarkdown)?.[1] ?? ""
      assert.strictEqual((yield* media(url)).status, 200)
    })
  )
})
