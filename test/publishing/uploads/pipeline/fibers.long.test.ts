import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ImageDecoderMemory } from "../../../../layers/testing/ImageDecoderMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { withSettings } from "../../../../src/platform/ports/Settings.ts"
import type { Doorbells } from "../../../../src/platform/work/Doorbells.ts"
import type { UploadPipeline } from "../../../../src/publishing/uploads/pipeline/UploadPipeline.ts"
import { UploadWorker } from "../../../../src/publishing/uploads/pipeline/worker.ts"
import { Logs } from "../../../platform/http/Logs.ts"
import { as } from "../../../platform/mail/outbox.ts"
import { pngFile, take, uploaderOf } from "../../../support/actors/uploader.ts"
import { eventually } from "../../../support/eventually.ts"
import { passing } from "../../../support/passing.ts"
import type { TestAnswer } from "../../../support/TestClient.ts"
import { gifOfStubs } from "../../image-formats/gif/makeGif.ts"
import type { FormPart } from "../multipart.ts"
import { kept, twoProcesses } from "../screenings.ts"

/** Works on uploads for one of several processes, until the scope ends. */
const working = (process: Context.Context<UploadPipeline | Doorbells>, concurrency = 4) =>
  Layer.build(UploadWorker.pipe(Layer.provide(withSettings({ screeningConcurrency: concurrency })))).pipe(
    as(process)
  )

const isDone = (sent: TestAnswer) =>
  Effect.map(kept(sent), ({ next_task, state }) => state === "cleared" && next_task === null)

describe("the fibers that work on uploads", () => {
  it.effect("Workers screen what their process admits immediately, even one image at a time", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_uploads_fibers_wake")
      const author = yield* as(process)(uploaderOf(1))
      yield* working(process, 1)
      for (let seed = 0; seed < 3; seed++) {
        const sent = yield* as(process)(author.avatar({ parts: [pngFile(seed)] }))
        yield* eventually("a cleared image without its staged file", as(process)(isDone(sent)))
      }
      const all = yield* Effect.forEach([4, 5, 6, 7], (seed) =>
        as(process)(author.avatar({ parts: [pngFile(seed)] }))
      )
      for (const sent of all) yield* eventually("four at once", as(process)(isDone(sent)))
    })
  )

  it.effect("Workers take what another process admitted after a second", () =>
    Effect.gen(function* () {
      const [admitting, process] = yield* twoProcesses("test_uploads_fibers_poll")
      yield* working(process)
      const author = yield* as(admitting)(uploaderOf(1))
      const sent = yield* as(admitting)(author.avatar())
      yield* passing(1_000, "a cleared image", as(process)(isDone(sent)))
    })
  )

  it.effect("Workers take what was left when they begin", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_uploads_fibers_begin")
      const author = yield* as(process)(uploaderOf(1))
      const all = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (seed) =>
        as(process)(author.avatar({ parts: [pngFile(seed)] }))
      )
      yield* working(process, 2)
      for (const sent of all) yield* eventually("six images", as(process)(isDone(sent)))
    })
  )

  it.effect("Workers process as many images as they are told, and leave the others to other processes", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses("test_uploads_fibers_limit")
      const scanner = Context.get(first, ScannerMemory)
      const authors = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (number) => as(first)(uploaderOf(number)))
      yield* scanner.hold
      yield* working(first, 2)
      const all = yield* Effect.forEach(authors, (author) => as(first)(author.avatar()))
      yield* Effect.replicateEffect(scanner.held, 2)
      for (let second = 0; second < 5; second++) yield* TestClock.adjust(1_000)
      assert.lengthOf(yield* scanner.scanned, 2)
      yield* working(second, 3)
      yield* Effect.replicateEffect(scanner.held, 3)
      for (let second = 0; second < 5; second++) yield* TestClock.adjust(1_000)
      assert.lengthOf(yield* scanner.scanned, 5)
      const states = yield* Effect.forEach(all, (sent) =>
        Effect.map(as(first)(kept(sent)), ({ state }) => state)
      )
      assert.deepStrictEqual(states.toSorted(), [...Array.from({ length: 5 }, () => "checking"), "queued"])
      yield* scanner.release
      for (const sent of all) yield* passing(100, "six images", as(first)(isDone(sent)))
      assert.lengthOf(yield* scanner.scanned, 6)
    })
  )

  it.effect("Workers leave half of the places to other owners, so no image waits for another's flood", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_uploads_fibers_fair")
      const scanner = Context.get(process, ScannerMemory)
      const flooder = yield* as(process)(uploaderOf(1))
      const author = yield* as(process)(uploaderOf(2))
      yield* scanner.hold
      yield* working(process, 4)
      yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], (seed) =>
        as(process)(flooder.avatar({ parts: [pngFile(seed)] }))
      )
      yield* Effect.replicateEffect(scanner.held, 2)
      for (let second = 0; second < 5; second++) yield* TestClock.adjust(1_000)
      assert.lengthOf(yield* scanner.scanned, 2)
      const sent = yield* as(process)(author.avatar({ parts: [pngFile(11)] }))
      yield* scanner.held
      assert.strictEqual((yield* as(process)(kept(sent))).state, "checking")
      yield* scanner.release
      yield* passing(100, "the image of the other", as(process)(isDone(sent)))
    })
  )

  it.effect("Workers screen one heavy image at a time, and leave the other places to other owners", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_uploads_fibers_heavy")
      const scanner = Context.get(process, ScannerMemory)
      const flooders = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (number) => as(process)(uploaderOf(number)))
      const author = yield* as(process)(uploaderOf(7))
      yield* scanner.hold
      yield* working(process, 4)
      const animation: FormPart = {
        name: "file",
        fileName: "picture.gif",
        mediaType: "image/gif",
        content: gifOfStubs(1, 1, 3_201)
      }
      const heavy = yield* Effect.forEach(flooders, (flooder) =>
        as(process)(flooder.avatar({ parts: [animation] }))
      )
      yield* scanner.held
      for (let second = 0; second < 5; second++) yield* TestClock.adjust(1_000)
      assert.lengthOf(yield* scanner.scanned, 1)
      const light = yield* as(process)(author.avatar())
      yield* scanner.held
      assert.strictEqual((yield* as(process)(kept(light))).state, "checking")
      yield* scanner.release
      for (const sent of [light, ...heavy]) yield* passing(100, "its end", as(process)(isDone(sent)))
    })
  )

  it.effect("Workers take owners in turns, so the first image of each goes before any second", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_uploads_fibers_turns")
      const authors = yield* Effect.forEach([1, 2, 3], (number) => as(process)(uploaderOf(number)))
      for (const [index, author] of authors.entries()) {
        for (let seed = 0; seed < 4 - index; seed++) {
          yield* as(process)(author.avatar({ parts: [pngFile(seed)] }))
          yield* TestClock.adjust(1)
        }
      }
      const owners = authors.map(({ handle }) => handle)
      const sql = Context.get(process, SqlClient.SqlClient)
      const handleOf = Effect.fnUntraced(function* ({ owner_id }: { readonly owner_id: string }) {
        const [row] = yield* sql<{
          readonly handle: string
        }>`select handle from owners where id = ${owner_id}`
        return row?.handle
      })
      const claimed = yield* Effect.flatMap(as(process)(take(3)), Effect.forEach(handleOf))
      assert.deepStrictEqual(claimed.toSorted(), owners.toSorted())
      // The first two owners have more operations; the third has one left.
      const next = yield* Effect.flatMap(as(process)(take(10)), Effect.forEach(handleOf))
      assert.lengthOf(next, 6)
    })
  )

  for (const [concurrency, flooders] of [
    [1, 1],
    [1, 4],
    [4, 1],
    [4, 6]
  ] as const) {
    it.effect(
      `Workers decode at most one image of each of ${flooders} floods first, ${concurrency} at a time`,
      () =>
        Effect.gen(function* () {
          const [process] = yield* twoProcesses("test_uploads_fibers_ahead")
          for (let flood = 1; flood <= flooders; flood++) {
            const flooder = yield* as(process)(uploaderOf(flood))
            for (let seed = 1; seed <= 10; seed++) {
              yield* as(process)(flooder.avatar({ parts: [pngFile(flood * 100 + seed)] }))
              yield* TestClock.adjust(1)
            }
          }
          const author = yield* as(process)(uploaderOf(flooders + 1))
          const file = pngFile(1)
          const sent = yield* as(process)(author.avatar({ parts: [file] }))
          yield* working(process, concurrency)
          yield* eventually("the image of the other", as(process)(isDone(sent)))
          const decoded = yield* Context.get(process, ImageDecoderMemory).inspected
          const ahead = decoded.findIndex(
            ({ bytes }) => Buffer.compare(bytes, file.content as Uint8Array) === 0
          )
          // Those that begin in the same claim as the other image are not ahead of it, and still in the list.
          assert.isAtMost(ahead, flooders + concurrency - 1)
        })
    )
  }

  it.effect("Workers outlast an unavailable database and log it once", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_uploads_fibers_database")
      const lines = yield* Logs
      const said = (message: string) => lines.filter((line) => line.message === message).length
      const author = yield* as(process)(uploaderOf(1))
      yield* working(process)
      const sql = Context.get(process, SqlClient.SqlClient)
      for (let outage = 1; outage <= 2; outage++) {
        yield* sql`alter table upload_operations rename to uploads_away`
        let seconds = 0
        yield* passing(
          1_000,
          "an outage",
          Effect.sync(() => said("Uploads are not being processed") === outage && ++seconds > 20)
        )
        yield* sql`alter table uploads_away rename to upload_operations`
        const sent = yield* as(process)(author.avatar({ parts: [pngFile(outage)] }))
        yield* passing(1_000, "its end", as(process)(isDone(sent)))
        assert.strictEqual(said("Uploads are not being processed"), outage)
        assert.strictEqual(said("Uploads are being processed again"), outage)
      }
    }).pipe(Effect.provide(Layer.fresh(Logs.layer)))
  )
})
