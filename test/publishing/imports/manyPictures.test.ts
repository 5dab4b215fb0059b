import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { ObjectKey, ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { ImportReader } from "../../../src/publishing/imports/ImportReader.ts"
import { Uploads } from "../../../src/publishing/uploads/Uploads.ts"
import { inTime, media, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { type Importer, importerOf, stepImports, workImports } from "./importer.ts"
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

/** Applies an import of one post with pictures, which wait because own uploads leave no room. */
const waiting = Effect.fnUntraced(function* (
  author: Importer,
  count: number,
  place: "cover" | "text" = "text"
) {
  const names = Array.from({ length: count }, (_, n) => `${n}.png`)
  const item: SomeItem = {
    draft: {
      freeContent: place === "text" ? names.map((name) => `![p](${name})`).join("\n\n") : "Words"
    },
    images: names.map((name) => ({ url: name, alt: "p", from: { entry: name }, place }))
  }
  const file = zipOf([
    { name: ITEMS, content: fileOf([item]) },
    ...names.map((name, n) => ({ name, content: pngOf({ width: 8, height: 8, seed: n + 1 }) }))
  ])
  const { id } = yield* author.imported(file)
  const own = yield* author.draft()
  for (let n = 0; n < 4; n++) yield* author.inline(own, { headers: { "x-upload-target-key": `own-${n}` } })
  yield* author.apply(id)
  yield* inTime(workImports)
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly post_id: string; readonly pictures: ReadonlyArray<string> }>`
    select post_id, array(select p ->> 'operationId' from json_array_elements(pictures) p) as pictures
    from import_items where import_id = ${id}`
  return { id: id as string, postId: row!.post_id, pictures: row!.pictures }
})

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

  it.effect(
    "A picture that was lost in an earlier turn becomes its text and a line of the report at the end",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(3)
        const { id, pictures, postId } = yield* waiting(author, 2)
        const storage = yield* ObjectStorage
        yield* storage.remove(ObjectKey.make(`imports/${id}/${pictures[0]}`))
        yield* TestClock.adjust("5 seconds")
        yield* inTime(workImports)
        assert.strictEqual((yield* author.get(id)).body.state, "applying")
        yield* workOff
        yield* TestClock.adjust("5 seconds")
        yield* inTime(workImports)
        const [item] = (yield* author.items(id)).body.data
        assert.deepInclude(item.images, { admitted: 1, failed: 1 })
        assert.deepStrictEqual(
          item.report.map(({ code }: { readonly code: string }) => code),
          ["image_missing"]
        )
        const { freeContentMarkdown } = (yield* author.read(postId)).body
        assert.notInclude(freeContentMarkdown, pictures[0])
        assert.include(freeContentMarkdown, pictures[1])
      })
  )

  it.effect("Pictures of a cancelled import leave a line of the report for each that was lost before", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(4)
      const { id, pictures, postId } = yield* waiting(author, 2)
      const storage = yield* ObjectStorage
      yield* storage.remove(ObjectKey.make(`imports/${id}/${pictures[0]}`))
      yield* TestClock.adjust("5 seconds")
      yield* inTime(workImports)
      yield* author.cancelImport(id)
      yield* workImports
      const [item] = (yield* author.items(id)).body.data
      assert.deepStrictEqual(
        item.report.map(({ code }: { readonly code: string }) => code),
        ["image_unavailable", "image_missing"]
      )
      assert.strictEqual((yield* author.read(postId)).body.freeContentMarkdown, "p\n\np")
    })
  )

  it.effect("A cover that its author chose before the one of the import came stays, and so does none", () =>
    Effect.gen(function* () {
      for (const [number, ogImage] of [
        [6, "https://mine.test/cover.png"],
        [7, null]
      ] as const) {
        const author = yield* importerOf(number)
        const { id, postId } = yield* waiting(author, 1, "cover")
        assert.match((yield* author.read(postId)).body.ogImage, /^https:\/\/press\.test\/media\//)
        yield* author.patch(postId, { ogImage })
        yield* workOff
        yield* TestClock.adjust("5 seconds")
        yield* inTime(workImports)
        yield* workOff
        assert.deepInclude((yield* author.get(id)).body.images, { admitted: 1, failed: 0 })
        assert.strictEqual((yield* author.read(postId)).body.ogImage, ogImage)
        assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 0, kept: 1 })
      }
    })
  )

  it.effect("A picture waits while the store is unavailable, and is then admitted", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(5)
      const { id } = yield* waiting(author, 1)
      yield* workOff
      const { failNext } = yield* ObjectStorageMemory
      yield* failNext("get", 3)
      yield* failNext("put", 3)
      for (let turn = 0; turn < 6; turn++) {
        yield* TestClock.adjust("10 seconds")
        yield* inTime(stepImports)
        assert.strictEqual((yield* author.get(id)).body.state, "applying")
      }
      yield* TestClock.adjust("10 minutes")
      yield* inTime(workImports)
      assert.deepInclude((yield* author.get(id)).body.images, { admitted: 1, failed: 0 })
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
      const begun = sql`select from upload_operations where id = ${importedAs}`
      while ((yield* begun).length === 0) yield* onRealClock(Effect.sleep(20))
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
