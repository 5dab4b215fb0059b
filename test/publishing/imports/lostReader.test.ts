import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import {
  ImportReader,
  ImportReaderLost,
  ImportReaderUnavailable
} from "../../../src/publishing/imports/ImportReader.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { importerOf, stepImports, workImports } from "./importer.ts"
import { fileOf, ITEMS, readJsonItems } from "./jsonItems.ts"

/** The faults of the reader that are left. */
const faults: Array<"crashed" | "deadline" | "slow" | "unavailable"> = []

/** A reader that is lost after its first batch, as long as faults are left. */
const failing = Layer.effect(
  ImportReader,
  Effect.map(ImportReader, (reader) =>
    ImportReader.of({
      open: Effect.fnUntraced(function* (fileName, bytes) {
        if (faults[0] === "unavailable") {
          faults.shift()
          return yield* new ImportReaderUnavailable({ cause: new Error("no memory") })
        }
        if (faults[0] === "slow") {
          faults.shift()
          yield* Effect.sleep("90 seconds")
        }
        const file = yield* reader.open(fileName, bytes)
        return {
          ...file,
          entry: (name, maxBytes) =>
            name === "poison.png" ? Effect.die(new Error("no memory")) : file.entry(name, maxBytes),
          read: Effect.fnUntraced(function* (options, now) {
            const reading = yield* file.read(options, now)
            return {
              ...reading,
              items: (from) => {
                const reason = faults.shift()
                if (reason === undefined || reason === "slow" || reason === "unavailable")
                  return reading.items(from)
                const lost = Stream.fail(new ImportReaderLost({ reason, detail: "it was killed" }))
                return Stream.concat(Stream.take(reading.items(from), 1), lost)
              }
            }
          })
        }
      })
    })
  )
)

const withFaults = service(database("test_import_lost"), 1, {
  changePorts: (ports) =>
    Layer.merge(
      ports,
      failing.pipe(Layer.provide(ImportReaderMemory.layer(readJsonItems)), Layer.provide(ports))
    )
})

const file = fileOf(Array.from({ length: 45 }, (_, n) => ({ title: `Post ${n}` })))

/** Begins an import, whose reader has these faults. */
const begun = Effect.fnUntraced(function* (number: number, ...next: typeof faults) {
  const author = yield* importerOf(number)
  const { id } = (yield* author.begin(file)).body
  yield* author.put(id, file)
  faults.splice(0, faults.length, ...next)
  return { author, id: id as string }
})

layer(withFaults)("a reader of imports that is lost", (it) => {
  it.effect("Another one goes on after the items that are written, and writes none twice", () =>
    Effect.gen(function* () {
      const { author, id } = yield* begun(1, "crashed", "crashed")
      for (const items of [10, 20]) {
        assert.include(String(yield* Effect.exit(stepImports)), "The reader of imports was lost")
        assert.strictEqual((yield* author.get(id)).body.progress.done, items)
        assert.strictEqual(yield* stepImports, 0)
        yield* TestClock.adjust("1 minute")
      }
      yield* workImports
      const read = (yield* author.get(id)).body
      assert.strictEqual(read.state, "review")
      assert.deepInclude(read.counts, { items: 45, new: 45 })
      assert.isNull(read.error)
      const { data } = (yield* author.items(id, "?limit=100")).body
      assert.deepStrictEqual(
        data.map(({ title }: { readonly title: string }) => title),
        Array.from({ length: 45 }, (_, n) => `Post ${n}`)
      )
    })
  )

  it.effect("A file whose reader is lost again and again, or takes too long, is read up to there", () =>
    Effect.gen(function* () {
      const { author, id } = yield* begun(2, "crashed", "crashed", "crashed", "crashed")
      for (let attempt = 0; attempt < 2; attempt++) {
        yield* Effect.exit(stepImports)
        yield* TestClock.adjust("1 minute")
      }
      yield* workImports
      const read = (yield* author.get(id)).body
      assert.deepInclude(read, { state: "review" })
      assert.strictEqual(read.error.code, "damaged")
      assert.strictEqual(read.counts.items, 30)

      const late = yield* begun(3, "deadline")
      yield* workImports
      const cut = (yield* late.author.get(late.id)).body
      assert.strictEqual(cut.error.code, "damaged")
      assert.strictEqual(cut.counts.items, 10)
    })
  )

  it.effect("A file that takes more than fifteen minutes is read up to there, and not for ever", () =>
    Effect.gen(function* () {
      const { author, id } = yield* begun(5, "crashed", "crashed", "crashed")
      // Time in the queue does not count.
      yield* TestClock.adjust("1 hour")
      yield* Effect.exit(stepImports)
      assert.strictEqual((yield* author.get(id)).body.progress.done, 10)
      yield* TestClock.adjust("14 minutes")
      yield* Effect.exit(stepImports)
      assert.strictEqual((yield* author.get(id)).body.progress.done, 20)
      yield* TestClock.adjust("1 minute")
      yield* workImports
      const read = (yield* author.get(id)).body
      assert.strictEqual(read.state, "review")
      assert.strictEqual(read.error.code, "too_large")
      assert.strictEqual(read.counts.items, 20)
    })
  )

  it.effect("An item whose every attempt dies has failed, and the import goes on behind it", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(6)
      faults.splice(0)
      const url = "/poison.png"
      const poisoned = {
        draft: { freeContent: `![p](${url})` },
        images: [{ url, alt: "p", from: { entry: "poison.png" }, place: "text" }]
      } as const
      const archive = zipOf([
        { name: ITEMS, content: fileOf([poisoned, { title: "Behind" }]) },
        { name: "poison.png", content: "x" }
      ])
      const { id } = yield* author.imported(archive, { fileName: "items.zip" })
      yield* author.apply(id)
      for (let attempt = 0; attempt < 3; attempt++) {
        assert.include(String(yield* Effect.exit(stepImports)), "no memory")
        yield* TestClock.adjust("1 minute")
      }
      yield* workImports
      assert.strictEqual((yield* author.get(id)).body.state, "done")
      const { data } = (yield* author.items(id)).body
      assert.deepStrictEqual(
        data.map(({ outcome, report }: any) => [outcome, report.map(({ code }: any) => code)]),
        [
          ["failed", ["not_applied"]],
          ["created", []]
        ]
      )
    })
  )

  it.effect("A file that takes longer to open than a lease lasts stays with its worker", () =>
    Effect.gen(function* () {
      const { author, id } = yield* begun(7, "slow")
      const sql = yield* SqlClient.SqlClient
      const reading = yield* Effect.forkChild(stepImports)
      yield* eventually(
        "the reader opens the file",
        Effect.sync(() => faults.length === 0)
      )
      for (let passed = 0; passed < 80; passed += 20) {
        yield* TestClock.adjust("20 seconds")
        // The statement that prolongs the lease takes real time.
        const soon = later(yield* now, 25_000)
        yield* eventually(
          "the lease is prolonged",
          Effect.map(
            sql`select from imports where id = ${id} and due_at > ${soon}`,
            (rows) => rows.length === 1
          )
        )
      }
      assert.strictEqual(yield* stepImports, 0)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Fiber.join(reading), 1)
      assert.strictEqual((yield* author.get(id)).body.state, "review")
    })
  )

  it.effect("A reader that cannot start is asked again", () =>
    Effect.gen(function* () {
      const { author, id } = yield* begun(4, "unavailable")
      yield* workImports
      assert.strictEqual((yield* author.get(id)).body.state, "reading")
      yield* TestClock.adjust("10 seconds")
      yield* workImports
      assert.strictEqual((yield* author.get(id)).body.counts.items, 45)
    })
  )
})
