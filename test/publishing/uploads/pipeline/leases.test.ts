import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { UploadWorker } from "../../../../src/publishing/uploads/pipeline/worker.ts"
import { as } from "../../../platform/mail/outbox.ts"
import { media, pngFile, stepOf, take, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { freshDatabase } from "../../../support/Database.ts"
import { processOver } from "../../../support/TestClient.ts"
import {
  alone,
  kept,
  malware,
  objectsOf,
  publicKey,
  rejecting,
  twoProcesses,
  within,
  world
} from "../screenings.ts"

const LEASE = 120_000

const fresh = alone("test_uploads_leases_alone")

describe("two processes that share the work (3.2)", () => {
  it.effect("A step that its process never ends goes to another one after 120 seconds", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses("test_uploads_lease_expiry")
      const author = yield* as(first)(uploaderOf(1))
      const sent = yield* author.avatar().pipe(as(first))
      assert.lengthOf(yield* as(first)(take(10)), 1)
      yield* TestClock.adjust(LEASE - 1)
      assert.strictEqual(yield* as(second)(workOff), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* as(second)(workOff), 2)
      assert.strictEqual((yield* as(second)(author.status(sent))).body.safety.state, "cleared")
    })
  )

  it.effect("A late verdict is discarded, and the first one stands in either order", () =>
    Effect.gen(function* () {
      const [late, second] = yield* twoProcesses("test_uploads_late_verdict")
      const author = yield* as(late)(uploaderOf(1))
      for (const [index, order] of (["cleared first", "rejected first"] as const).entries()) {
        const sent = yield* as(late)(author.avatar({ parts: [pngFile(index)] }))
        const [upload] = yield* as(late)(take(10))
        yield* TestClock.adjust(LEASE)
        if (order === "rejected first") {
          yield* as(second)(rejecting)
          yield* as(late)(stepOf(upload!))
        } else {
          yield* as(second)(workOff)
          yield* as(second)(Effect.flatMap(ScannerMemory, (it) => it.answerNext(malware)))
          // The staged file is gone, so the second process reads the public copy.
          yield* as(late)(stepOf(upload!))
        }
        const state = order === "rejected first" ? "rejected" : "cleared"
        const row = yield* as(second)(kept(sent))
        assert.deepStrictEqual([row.state, row.verdict, row.next_task], [state, state, null])
        const { body } = yield* as(second)(author.profile())
        assert.strictEqual(body.avatarUrl, state === "cleared" ? sent.body.publicUrl : null)
        assert.strictEqual(
          (yield* as(second)(media(sent.body.publicUrl))).status,
          state === "cleared" ? 200 : 404
        )
      }
    })
  )

  it.effect("Each of 24 operations gets exactly one verdict", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses("test_uploads_shared")
      const authors = yield* Effect.forEach([1, 2, 3, 4], (number) => as(first)(uploaderOf(number)))
      const sent = yield* Effect.forEach(authors, (author) =>
        Effect.forEach([1, 2, 3, 4, 5, 6], (seed) => as(first)(author.avatar({ parts: [pngFile(seed)] })))
      ).pipe(Effect.map((all) => all.flat()))
      const scanner = Context.get(first, ScannerMemory)
      yield* scanner.hold
      const draining = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 8 }, (_, index) =>
            as(index % 2 === 0 ? first : second)(
              Effect.gen(function* () {
                let steps = 0
                for (let taken = yield* take(2); taken.length > 0; taken = yield* take(2)) {
                  steps += taken.length
                  yield* Effect.forEach(taken, stepOf, { concurrency: 2 })
                }
                return steps
              })
            )
          ),
          { concurrency: "unbounded" }
        )
      )
      // Eight workers hold two operations each.
      yield* Effect.replicateEffect(scanner.held, 16)
      yield* scanner.release
      const steps = yield* Fiber.join(draining)
      yield* as(first)(workOff)
      assert.isAbove(steps.filter((count) => count > 0).length, 4)
      assert.lengthOf(yield* scanner.scanned, 24)
      for (const it of sent) {
        const row = yield* as(first)(kept(it))
        assert.deepStrictEqual([row.state, row.next_task, row.failures], ["cleared", null, 0])
      }
    })
  )

  it.effect("A process that dies during a check counts as one failure, and five exhaust the attempts", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      for (let died = 0; died < 5; died++) {
        assert.strictEqual((yield* take(10))[0]?.failures, died)
        yield* TestClock.adjust(LEASE)
      }
      yield* workOff
      const { body } = yield* author.status(sent)
      assert.deepStrictEqual([body.safety.state, body.safety.lastError], ["failed", "exhausted attempts"])
      assert.isNull((yield* author.profile()).body.avatarUrl)
      assert.lengthOf(yield* (yield* ScannerMemory).scanned, 0)
    }).pipe(fresh)
  )

  it.effect("A process that dies during a cleanup does not count, and the verdict stays", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      yield* Effect.flatMap(take(10), Effect.forEach(stepOf))
      for (let died = 0; died < 7; died++) {
        assert.strictEqual((yield* take(10))[0]?.next_task, "clean_up")
        yield* TestClock.adjust(LEASE)
      }
      assert.strictEqual(yield* workOff, 1)
      const row = yield* kept(sent)
      assert.deepStrictEqual([row.state, row.failures, row.next_task], ["cleared", 0, null])
      assert.deepStrictEqual(yield* objectsOf(sent), [publicKey(sent)])
    }).pipe(fresh)
  )

  it.effect("A scan that never answers is given up before the lease ends, and tried again", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const scanner = yield* ScannerMemory
      const sent = yield* author.avatar()
      yield* scanner.hold
      const working = yield* Effect.forkChild(workOff)
      yield* scanner.held
      yield* TestClock.adjust(90_000)
      assert.strictEqual(yield* Fiber.join(working), 1)
      const row = yield* kept(sent)
      assert.deepStrictEqual([row.state, row.failures], ["queued", 1])
      yield* scanner.release
      yield* TestClock.adjust(10_000)
      yield* workOff
      assert.strictEqual((yield* author.status(sent)).body.safety.state, "cleared")
    }).pipe(fresh)
  )
})

describe("a graceful stop", () => {
  it.effect("A graceful stop gives the lease back immediately, and counts as no failure", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_uploads_stop")
      const shared = yield* world
      const [first, second] = yield* Effect.all([
        processOver(url, 1, { ...within(shared), screeningConcurrency: 2 }),
        processOver(url, 2, within(shared))
      ])
      const author = yield* as(first)(uploaderOf(1))
      const sent = yield* as(first)(author.avatar())
      const scanner = Context.get(shared, ScannerMemory)
      const reading = as(second)(kept(sent))
      yield* scanner.hold
      const stop = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* as(first)(Layer.build(UploadWorker))
          yield* scanner.held
          // The time limit for a step to end once it is interrupted. Reads between two seconds leave the stopping process
          // time for its own statements: nothing else may time out.
          const tick = Effect.andThen(TestClock.adjust(1_000), Effect.repeat(reading, { times: 9 }))
          return yield* Effect.forkDetach(Effect.forever(tick))
        })
      )
      yield* Fiber.interrupt(stop)
      const row = yield* reading
      assert.deepStrictEqual([row.state, row.failures, row.retries], ["queued", 0, 0])
      yield* scanner.release
      assert.strictEqual(yield* as(second)(workOff), 2)
      assert.strictEqual((yield* as(second)(author.status(sent))).body.safety.state, "cleared")
    }).pipe(Effect.orDie)
  )
})
