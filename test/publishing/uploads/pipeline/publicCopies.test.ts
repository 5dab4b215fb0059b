import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Queue } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnavailable } from "../../../../src/platform/ports/ObjectStorage.ts"
import { as } from "../../../platform/mail/outbox.ts"
import { media, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { objectsOf, waitOf } from "../screenings.ts"
import { storingAfter, withStorage } from "./otherStorage.ts"

const away = Effect.fail(new StorageUnavailable({ operation: "put", cause: new Error("away") }))

describe("the public copies of uploads", () => {
  it.effect("A public copy that could not be made is made later, and put in its place", () =>
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

  it.effect("A cancellation while the public copy is being made leaves no copy behind", () =>
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
})
