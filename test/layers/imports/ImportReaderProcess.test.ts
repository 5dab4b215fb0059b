import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Result, Stream } from "effect"
import * as ImportReaderProcess from "../../../layers/imports/ImportReaderProcess.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { ImportReader } from "../../../src/publishing/imports/ImportReader.ts"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"

const directory = mkdtempSync(join(tmpdir(), "pennypress-imports-"))

const reader = ImportReaderProcess.layer({ directory })

const options = { include: [], membersOnly: "paid" } as const

const opened = <A, E>(
  bytes: Uint8Array,
  use: (file: Effect.Success<ReturnType<ImportReader["Service"]["open"]>>) => Effect.Effect<A, E>,
  layer: Layer.Layer<ImportReader> = reader
) =>
  Effect.gen(function* () {
    const file = yield* (yield* ImportReader).open(
      "export.zip",
      Stream.make(bytes.slice(0, 10), bytes.slice(10))
    )
    return yield* use(file)
  }).pipe(Effect.scoped, Effect.provide(layer), onRealClock)

describe("the process that reads imports", () => {
  it.effect("It reads one file within its limits, and hands out single entries", () =>
    Effect.gen(function* () {
      const picture = pngOf({ width: 8, height: 8, seed: 1 })
      const archive = zipOf([
        { name: "posts/a.xyz", content: "no post" },
        { name: "img/ä.png", content: picture, method: 8 }
      ])
      yield* opened(
        archive,
        Effect.fnUntraced(function* (file) {
          assert.strictEqual(file.byteSize, archive.length)
          assert.match(file.sha256, /^[0-9a-f]{64}$/)
          assert.deepStrictEqual(yield* file.entry("img/ä.png", 5_000_000), picture)
          const refused = yield* Effect.flip(file.entry("img/ä.png", 10))
          assert.deepInclude(refused, { _tag: "ImportFailure", code: "too_large" })
          const missing = yield* Effect.flip(file.entry("b.png", 10))
          assert.deepInclude(missing, { _tag: "ImportFailure", code: "damaged" })
          const unknown = yield* Effect.flip(file.read(options, 0))
          assert.deepInclude(unknown, { _tag: "ImportFailure", code: "unknown_form" })
        })
      )
      assert.isTrue(existsSync(directory))
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )

  it.effect("It hands out entries that are asked for at the same time", () =>
    Effect.gen(function* () {
      const pictures = [1, 2, 3, 4].map((seed) => pngOf({ width: 64, height: 64, seed }))
      const archive = zipOf(pictures.map((content, index) => ({ name: `${index}.png`, content })))
      const handedOut = yield* opened(archive, ({ entry }) =>
        Effect.forEach(pictures, (_, index) => entry(`${index}.png`, 5_000_000), { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(handedOut, pictures)
    })
  )

  it.effect("It removes what killed processes left, and nothing that another one may read", () =>
    Effect.gen(function* () {
      const own = mkdtempSync(join(tmpdir(), "pennypress-imports-"))
      const made = (name: string, hours: number) => {
        const folder = join(own, name)
        mkdirSync(folder)
        writeFileSync(join(folder, "file"), "bytes")
        const at = Date.now() / 1000 - hours * 3600
        utimesSync(folder, at, at)
      }
      made("import-old", 2)
      made("import-new", 0.5)
      made("other-old", 2)
      yield* Effect.asVoid(ImportReader).pipe(
        Effect.provide(ImportReaderProcess.layer({ directory: own })),
        onRealClock
      )
      assert.deepStrictEqual(readdirSync(own).toSorted(), ["import-new", "other-old"])
      rmSync(own, { recursive: true })
    })
  )

  it.effect("An archive that is not safe fails when it is read, with a sentence about it", () =>
    Effect.gen(function* () {
      const found = yield* opened(zipOf([{ name: "../a.md", content: "a" }]), (file) =>
        Effect.flip(file.read(options, 0))
      )
      assert.deepInclude(found, { _tag: "ImportFailure", code: "unsafe_archive" })
    })
  )

  it.effect("It may read no other file, write none and start no program", () =>
    Effect.gen(function* () {
      const probing = ImportReaderProcess.layer({
        directory,
        program: new URL("./probingProcess.ts", import.meta.url)
      })
      const said = yield* opened(
        zipOf([{ name: "a.md", content: "a" }]),
        (file) => Effect.result(file.entry("probe", 10_000)),
        probing
      )
      const text = new TextDecoder().decode(Result.getOrThrow(said))
      assert.deepStrictEqual(JSON.parse(text), {
        file: "read",
        other: "ERR_ACCESS_DENIED",
        write: "ERR_ACCESS_DENIED",
        start: "ERR_ACCESS_DENIED"
      })
    })
  )

  it.effect("A process that answers too late is killed", () =>
    Effect.gen(function* () {
      const late = ImportReaderProcess.layer({
        directory,
        program: new URL("./probingProcess.ts", import.meta.url),
        deadline: "1 second"
      })
      const failure = yield* opened(
        zipOf([{ name: "a.md", content: "a" }]),
        (file) => Effect.flip(file.read(options, 0)),
        late
      )
      assert.deepInclude(failure, { _tag: "ImportReaderLost", reason: "deadline" })
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )

  it.effect("An item that takes too long is refused, and the items behind it are read", () =>
    Effect.gen(function* () {
      const stuck = ImportReaderProcess.layer({
        directory,
        program: new URL("./stuckProcess.ts", import.meta.url),
        itemsDeadline: "1 second"
      })
      const items = yield* opened(
        zipOf([{ name: "a.md", content: "a" }]),
        Effect.fnUntraced(function* (file) {
          const reading = yield* file.read(options, 0)
          return (yield* Stream.runCollect(reading.items(1))).flat()
        }),
        stuck
      )
      assert.deepStrictEqual(
        items.map(({ ordinal, stop }) => [ordinal, stop?.code ?? null]),
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map((ordinal) => [
          ordinal,
          ordinal === 3 || ordinal === 4 ? "too_complex" : null
        ])
      )
    })
  )

  it.effect("A process goes on behind the items that are here", () =>
    Effect.gen(function* () {
      const texts = Array.from({ length: 5 }, (_, number) => ({
        name: `${number}.md`,
        content: `Text ${number}`
      }))
      const titles = yield* opened(
        zipOf(texts),
        Effect.fnUntraced(function* (file) {
          const reading = yield* file.read(options, 0)
          return (yield* Stream.runCollect(reading.items(3))).flat().map(({ title }) => title)
        })
      )
      assert.deepStrictEqual(titles, ["Text 3", "Text 4"])
    })
  )
})
