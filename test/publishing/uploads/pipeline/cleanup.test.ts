import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Latch, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as OffloadInline from "../../../../layers/testing/OffloadInline.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { DependencyUnavailable } from "../../../../src/platform/ports/DependencyUnavailable.ts"
import {
  ObjectStorage,
  StorageUnavailable,
  type ObjectKey
} from "../../../../src/platform/ports/ObjectStorage.ts"
import { Offload } from "../../../../src/platform/ports/Offload.ts"
import { UploadAdministration } from "../../../../src/publishing/uploads/UploadAdministration.ts"
import { as } from "../../../platform/mail/outbox.ts"
import { media, pngFile, stepOf, take, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { freshDatabase } from "../../../support/Database.ts"
import { processOver, type TestAnswer } from "../../../support/TestClient.ts"
import {
  administrator,
  alone,
  idOf,
  kept,
  malware,
  objectsOf,
  publicKey,
  rejecting,
  stagedKey,
  waitOf,
  within,
  world
} from "../screenings.ts"

const fresh = alone("test_uploads_cleanup")

/** Builds a process with `change` applied to its object storage. */
const withStorage = Effect.fnUntraced(function* (
  name: string,
  change: (storage: ObjectStorage["Service"]) => Partial<ObjectStorage["Service"]>
) {
  const shared = yield* world
  const storage = Context.get(shared, ObjectStorage)
  const changed = Context.add(shared, ObjectStorage, ObjectStorage.of({ ...storage, ...change(storage) }))
  return yield* processOver(yield* freshDatabase(name), 1, within(changed))
}, Effect.orDie)

const away = Effect.fail(new StorageUnavailable({ operation: "put", cause: new Error("away") }))

/** Stores an object, put or copied, once this is over, if it does not fail. */
const storingAfter = (
  storage: ObjectStorage["Service"],
  before: (key: ObjectKey) => Effect.Effect<unknown, StorageUnavailable>
): Pick<ObjectStorage["Service"], "put" | "copy"> => ({
  put: (key, body, options) => Effect.andThen(before(key), storage.put(key, body, options)),
  copy: (from, to) => Effect.andThen(before(to), storage.copy(from, to))
})

/** A section that is too long to be read inline. */
const long = Array.from({ length: 100 }, () => "**words**").join(" ")

const withReader = Effect.fnUntraced(function* (name: string, death: () => unknown) {
  const shared = yield* world
  const direct = yield* Effect.scoped(
    Effect.map(Layer.build(OffloadInline.layer), (it) => Context.get(it, Offload))
  )
  const offload = Offload.of({
    run: (task, input, key) =>
      task.name === "withoutUrl" && death() !== undefined ? Effect.die(death()) : direct.run(task, input, key)
  })
  const busy = Context.add(shared, Offload, offload)
  return yield* processOver(yield* freshDatabase(name), 1, within(busy))
}, Effect.orDie)

const rescreenOf = Effect.fnUntraced(function* (sent: TestAnswer) {
  const controls = yield* UploadAdministration
  yield* controls.rescreen(yield* administrator, UploadOperationId.make(idOf(sent)))
})

describe("files of uploads", () => {
  it.effect("staged bytes are kept until the verdict, and are gone after it", () =>
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

  it.effect("an operation is unfinished until its verdict, and no longer counts then", () =>
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

  it.effect("a cleanup that hangs is given up and tried again, and changes no verdict", () =>
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

  it.effect("a public copy that could not be made is made later, and put in its place", () =>
    Effect.gen(function* () {
      let isAway = true
      const process = yield* withStorage("test_uploads_promotion", (storage) =>
        storingAfter(storage, (key) => (isAway && key.startsWith("media/") ? away : Effect.void))
      )
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const sent = yield* author.avatar()
        assert.deepStrictEqual([sent.status, sent.body.publicUrl], [202, null])
        assert.isTrue(sent.body.safety.received)
        for (let refused = 0; refused < 8; refused++) {
          yield* workOff
          const { body } = yield* author.status(sent)
          assert.deepStrictEqual(
            [body.safety.state, body.safety.lastError, body.publicUrl],
            ["queued", "unavailable storage", null]
          )
          yield* TestClock.adjust(Math.max(0, yield* waitOf(sent)))
        }
        isAway = false
        yield* workOff
        const { body } = yield* author.status(sent)
        assert.deepStrictEqual([body.safety.state, body.safety.associated], ["cleared", true])
        assert.strictEqual((yield* author.profile()).body.avatarUrl, body.publicUrl)
        assert.strictEqual((yield* media(body.publicUrl)).status, 200)
      }).pipe(as(process))
    })
  )

  it.effect("a cancellation while the public copy is being made leaves no copy behind", () =>
    Effect.gen(function* () {
      let isAway = true
      const gate = yield* Latch.make()
      const begun = yield* Queue.unbounded<void>()
      const process = yield* withStorage("test_uploads_cancelled_promotion", (storage) =>
        storingAfter(storage, (key) => {
          if (!key.startsWith("media/")) return Effect.void
          return isAway ? away : Effect.andThen(Queue.offer(begun, undefined), gate.await)
        })
      )
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const sent = yield* author.avatar()
        isAway = false
        const promoting = yield* Effect.forkChild(workOff)
        yield* Queue.take(begun)
        yield* author.cancel(sent)
        yield* workOff
        yield* gate.open
        yield* Fiber.join(promoting)
        yield* workOff
        assert.deepStrictEqual(yield* objectsOf(sent), [])
      }).pipe(as(process))
    })
  )

  it.effect("a rescreening while the staged bytes are removed ends in a verdict all the same", () =>
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

  it.effect("a rejection waits for a service that edits the Post, and does not count as a failure", () =>
    Effect.gen(function* () {
      let isBusy = false
      const busyReader = new DependencyUnavailable({ dependency: "sections" })
      const process = yield* withReader("test_uploads_busy_reader", () => (isBusy ? busyReader : undefined))
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const post = yield* author.draft()
        const sent = yield* author.inline(post)
        yield* author.patch(post.id, { freeContentMarkdown: `![it](${sent.body.publicUrl})\n\n${long}` })
        const scanner = yield* ScannerMemory
        isBusy = true
        for (let busy = 0; busy < 7; busy++) {
          yield* scanner.answerNext(malware)
          yield* workOff
          assert.strictEqual((yield* kept(sent)).failures, 0)
          yield* TestClock.adjust(Math.max(0, yield* waitOf(sent)))
        }
        isBusy = false
        yield* rejecting
        assert.strictEqual((yield* author.status(sent)).body.safety.state, "rejected")
        assert.strictEqual((yield* author.read(post.id)).body.freeContentMarkdown, long)
      }).pipe(as(process))
    })
  )

  it.effect("an image whose references cannot be removed is hidden in the end", () =>
    Effect.gen(function* () {
      let isBroken = false
      const process = yield* withReader("test_uploads_broken_reader", () =>
        isBroken ? new Error("broken") : undefined
      )
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const post = yield* author.draft()
        const sent = yield* author.inline(post)
        yield* author.patch(post.id, { freeContentMarkdown: `![it](${sent.body.publicUrl})\n\n${long}` })
        yield* (yield* ScannerMemory).answerNext(malware, 5)
        isBroken = true
        for (let failed = 1; failed <= 5; failed++) {
          yield* workOff
          yield* TestClock.adjust(Math.max(0, yield* waitOf(sent)))
        }
        const { body } = yield* author.status(sent)
        assert.deepStrictEqual([body.safety.state, body.safety.lastError], ["failed", "exhausted attempts"])
        assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
        assert.deepStrictEqual(yield* objectsOf(sent), [])
      }).pipe(as(process))
    })
  )

  it.effect("a cancellation while the bytes arrive leaves nothing of them", () =>
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
