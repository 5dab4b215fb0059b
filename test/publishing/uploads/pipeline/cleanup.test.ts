import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Queue } from "effect"
import { TestClock } from "effect/testing"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { ObjectStorage, type ObjectKey } from "../../../../src/platform/ports/ObjectStorage.ts"
import { UploadAdministration } from "../../../../src/publishing/uploads/UploadAdministration.ts"
import { as } from "../../../platform/mail/outbox.ts"
import { pngFile, stepOf, take, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { type TestAnswer } from "../../../support/TestClient.ts"
import {
  administrator,
  alone,
  idOf,
  kept,
  malware,
  objectsOf,
  publicKey,
  stagedKey,
  waitOf
} from "../screenings.ts"
import { storingAfter, withStorage } from "./otherStorage.ts"

const fresh = alone("test_uploads_cleanup")

const rescreenOf = Effect.fnUntraced(function* (sent: TestAnswer) {
  const controls = yield* UploadAdministration
  yield* controls.rescreen(yield* administrator, UploadOperationId.make(idOf(sent)))
})

describe("files of uploads", () => {
  it.effect("Staged bytes are kept until the verdict, and are gone after it", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      assert.include(yield* objectsOf(sent), stagedKey(sent))
      const [screening] = yield* take(1)
      yield* stepOf(screening!)
      assert.strictEqual((yield* kept(sent)).state, "cleared")
      assert.include(yield* objectsOf(sent), stagedKey(sent))
      assert.isAbove((yield* kept(sent)).staged_bytes, 0)
      const [cleanup] = yield* take(1)
      yield* stepOf(cleanup!)
      assert.deepStrictEqual(yield* objectsOf(sent), [publicKey(sent)])
      assert.strictEqual((yield* kept(sent)).staged_bytes, 0)
    }).pipe(fresh)
  )

  it.effect("An operation counts as unfinished until its verdict", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const scanner = yield* ScannerMemory
      yield* Effect.forEach(Array.from({ length: 10 }), (_, seed) =>
        author.avatar({ parts: [pngFile(seed)] })
      )
      const refused = yield* author.avatar({ parts: [pngFile(11)] })
      assert.deepStrictEqual([refused.status, refused.body.limit], [429, "unfinished_operations"])
      yield* scanner.answerNext(malware, 5)
      yield* workOff
      assert.strictEqual((yield* author.avatar({ parts: [pngFile(11)] })).status, 202)
    }).pipe(fresh)
  )

  it.effect("A cleanup that hangs is given up and tried again, and changes no verdict", () =>
    Effect.gen(function* () {
      const begun = yield* Queue.unbounded<ObjectKey>()
      const process = yield* withStorage("test_uploads_hanging_cleanup", () => ({
        remove: (key) => Effect.andThen(Queue.offer(begun, key), Effect.never)
      }))
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const sent = yield* author.avatar()
        yield* Effect.flatMap(take(1), Effect.forEach(stepOf))
        for (let hung = 0; hung < 7; hung++) {
          const [cleanup] = yield* take(1)
          const stepping = yield* Effect.forkChild(stepOf(cleanup!))
          yield* Queue.take(begun)
          yield* TestClock.adjust(90_000)
          yield* Fiber.join(stepping)
          assert.strictEqual((yield* kept(sent)).state, "cleared")
          yield* TestClock.adjust(Math.max(0, yield* waitOf(sent)))
        }
        const { body } = yield* author.status(sent)
        assert.deepStrictEqual([body.safety.state, body.safety.lastError], ["cleared", null])
        assert.strictEqual((yield* author.profile()).body.avatarUrl, sent.body.publicUrl)
      }).pipe(as(process))
    })
  )

  it.effect("A rescreening while the staged bytes are removed still ends in a verdict", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const storage = yield* ObjectStorage
      const sent = yield* author.avatar()
      yield* Effect.flatMap(take(1), Effect.forEach(stepOf))
      const [cleanup] = yield* take(1)
      assert.strictEqual(cleanup?.next_task, "clean_up")
      yield* rescreenOf(sent)
      // The cleanup is still running but has lost its lease.
      yield* storage.remove(stagedKey(sent) as ObjectKey)
      yield* workOff
      assert.strictEqual((yield* author.status(sent)).body.safety.state, "cleared")
    }).pipe(fresh)
  )

  it.effect("A cancellation while the bytes arrive leaves nothing of them", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      const begun = yield* Queue.unbounded<void>()
      const process = yield* withStorage("test_uploads_cancelled_receipt", (storage) =>
        storingAfter(storage, () => Effect.andThen(Queue.offer(begun, undefined), gate.await))
      )
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const sending = yield* Effect.forkChild(author.avatar())
        yield* Queue.take(begun)
        const { body } = yield* author.operations()
        const receiving: TestAnswer = { ...(yield* author.profile()), body: body.operations[0] }
        assert.strictEqual((yield* author.cancel(receiving)).body.safety.state, "cancelled")
        yield* workOff
        yield* gate.open
        const { desired, received, state } = (yield* Fiber.join(sending)).body.safety
        assert.deepStrictEqual([state, desired, received], ["cancelled", false, false])
        yield* TestClock.adjust("1 day")
        yield* workOff
        assert.deepStrictEqual(yield* objectsOf(receiving), [])
        assert.strictEqual((yield* kept(receiving)).staged_bytes, 0)
      }).pipe(as(process))
    })
  )
})
