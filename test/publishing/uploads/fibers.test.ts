import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ScannerMemory } from "../../../layers/testing/ScannerMemory.ts"
import { withSettings } from "../../../src/platform/settings/Settings.ts"
import { UploadFibers } from "../../../src/publishing/uploads/UploadFibers.ts"
import type { UploadWakes } from "../../../src/publishing/uploads/UploadWakes.ts"
import type { UploadWork } from "../../../src/publishing/uploads/UploadWork.ts"
import { Logs } from "../../platform/http/Logs.ts"
import { as } from "../../platform/mail/outbox.ts"
import { eventually } from "../../support/eventually.ts"
import { passing } from "../../support/passing.ts"
import type { WireAnswer } from "../../support/Wire.ts"
import { kept, twoProcesses } from "./screenings.ts"
import { pngFile, uploaderOf } from "./uploaders.ts"

/** Works on uploads for one of several processes, until the scope ends. */
const working = (process: Context.Context<UploadWork | UploadWakes>, concurrency = 4) =>
  Layer.build(UploadFibers.pipe(Layer.provide(withSettings({ screeningConcurrency: concurrency })))).pipe(
    as(process)
  )

const isDone = (sent: WireAnswer) =>
  Effect.map(kept(sent), ({ owed, state }) => state === "cleared" && owed === null)

describe("the fibers that work on uploads", () => {
  it.effect("screen what this process admits at once, without a look at the clock, one at a time too", () =>
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

  it.effect("take what another process admitted when a second is over", () =>
    Effect.gen(function* () {
      const [admitting, process] = yield* twoProcesses("test_uploads_fibers_poll")
      yield* working(process)
      const author = yield* as(admitting)(uploaderOf(1))
      const sent = yield* as(admitting)(author.avatar())
      yield* passing(1_000, "a cleared image", as(process)(isDone(sent)))
    })
  )

  it.effect("take what was left when they begin", () =>
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

  it.effect("work on as many at a time as they are told, and leave the others to other processes", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses("test_uploads_fibers_limit")
      const scanner = Context.get(first, ScannerMemory)
      const author = yield* as(first)(uploaderOf(1))
      yield* scanner.hold
      yield* working(first, 2)
      const all = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (seed) =>
        as(first)(author.avatar({ parts: [pngFile(seed)] }))
      )
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

  it.effect("outlast a database that is away, and say so once", () =>
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
          Effect.sync(() => said("Uploads are not worked on") === outage && ++seconds > 20)
        )
        yield* sql`alter table uploads_away rename to upload_operations`
        const sent = yield* as(process)(author.avatar({ parts: [pngFile(outage)] }))
        yield* passing(1_000, "its end", as(process)(isDone(sent)))
        assert.strictEqual(said("Uploads are not worked on"), outage)
        assert.strictEqual(said("Uploads are worked on again"), outage)
      }
    }).pipe(Effect.provide(Layer.fresh(Logs.layer)))
  )
})
