import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { refusalOf } from "../../../support/actors/author.ts"
import {
  inTime,
  media,
  pngFile,
  type Uploader,
  uploaderOf,
  workOff
} from "../../../support/actors/uploader.ts"
import { eventually } from "../../../support/eventually.ts"
import { BASE_URL } from "../../../support/TestClient.ts"
import { webApp } from "../../../support/webApp.ts"
import { multipart } from "../multipart.ts"
import { failing, recovered, whileAway } from "./failing.ts"
import { operationsOf, storedKeys } from "./remains.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

layer(failing("test_upload_storage"))("unavailable storage (4.4.7, 7)", (it) => {
  it.effect("An uncertain upload is 503 with recovery and operationId, and the same key succeeds later", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const key = "a&b=c%20d#e"
      const uncertain = yield* whileAway("staging", author.inline(post, { key }))
      assert.deepStrictEqual(refusalOf(uncertain), [503, "dependency-unavailable"])
      assert.strictEqual(uncertain.body.recovery.requestKey, key)
      assert.isNotNull(uncertain.headers.get("retry-after"))
      const [safety] = yield* recovered(author, uncertain)
      assert.strictEqual(safety.operationId, uncertain.body.operationId)
      assert.deepStrictEqual(
        [safety.state, safety.received, safety.reuploadAllowed, safety.eligible],
        ["receiving", false, true, false]
      )
      const again = yield* author.inline(post, { key })
      assert.strictEqual(again.body.safety.operationId, safety.operationId)
      assert.deepStrictEqual(
        [again.status, again.body.replayed, again.body.safety.received, again.body.safety.generation],
        [200, true, true, 1]
      )
      assert.isFalse(again.body.safety.reuploadAllowed)
      assert.strictEqual((yield* media(again.body.publicUrl)).status, 200)
    })
  )

  it.effect("An image whose public copy fails is received, and the copy is made later", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const received = yield* whileAway("media", author.avatar({ key: "one" }))
      assert.deepStrictEqual([received.status, received.body.publicUrl], [202, null])
      const { safety } = received.body
      assert.deepStrictEqual(
        [safety.received, safety.associated, safety.lastError, safety.reuploadAllowed],
        [true, false, "unavailable storage", false]
      )
      const again = yield* author.avatar({ key: "one" })
      assert.deepStrictEqual([again.status, again.body.replayed, again.body.publicUrl], [200, true, null])
      yield* whileAway("media", workOff)
      assert.isNull((yield* author.status(received)).body.publicUrl)
      yield* TestClock.adjust("1 hour")
      yield* workOff
      const promoted = yield* author.status(received)
      assert.deepStrictEqual(
        [promoted.body.safety.state, promoted.body.safety.associated, promoted.body.safety.lastError],
        ["cleared", true, null]
      )
      assert.strictEqual((yield* author.profile()).body.avatarUrl, promoted.body.publicUrl)
      assert.strictEqual((yield* media(promoted.body.publicUrl)).status, 200)
    })
  )

  it.effect("An operation waits a day for its bytes and is then cancelled", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const before = yield* storedKeys
      const uncertain = yield* whileAway("staging", author.avatar({ key: "one" }))
      const state = Effect.map(recovered(author, uncertain), ([safety]) => [
        safety.state,
        safety.reuploadAllowed,
        safety.retryAfterSeconds
      ])
      yield* workOff
      assert.deepStrictEqual(yield* state, ["receiving", true, 0])
      assert.deepStrictEqual(yield* storedKeys, before)
      yield* TestClock.adjust("1439 minutes")
      yield* workOff
      assert.deepStrictEqual(yield* state, ["receiving", true, 0])
      yield* TestClock.adjust("1 minute")
      yield* workOff
      assert.deepStrictEqual(yield* state, ["cancelled", false, 0])
      const late = yield* author.avatar({ key: "one" })
      assert.deepStrictEqual([late.status, late.body.replayed, late.body.safety.received], [200, true, false])
    })
  )
})

/** Sends an avatar with its body in two halves; the test decides what happens between them. */
const inHalves = Effect.fnUntraced(function* (author: Uploader, key: string, between: () => Promise<void>) {
  const answer = yield* webApp
  const { body, headers } = multipart([pngFile()])
  let pulls = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const half = pulls++ === 0 ? body.subarray(0, 200) : body.subarray(200)
        if (pulls > 1) await between()
        controller.enqueue(half)
        if (pulls > 1) controller.close()
      }
    },
    { highWaterMark: 0 }
  )
  const init: RequestInit & { readonly duplex: "half" } = {
    method: "POST",
    body: stream,
    duplex: "half",
    headers: { authorization: `Bearer ${author.key}`, "idempotency-key": key, ...headers }
  }
  return yield* answer(new Request(`${BASE_URL}/api/v1/profile/avatar`, init))
})

/** Begins an upload whose second half is sent by `goOn`, and waits until its first half is received. */
const receiving = Effect.gen(function* () {
  const author = yield* uploader
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const first = yield* Effect.forkChild(inHalves(author, "one", () => gate))
  yield* eventually(
    "receiving",
    Effect.map(operationsOf(author.handle), (it) => it === 1)
  )
  return { author, first, goOn }
})

layer(failing("test_upload_bodies"))("bodies that arrive slowly or not at all (4.4.4)", (it) => {
  it.effect("A body that breaks off is 400 with recovery and leaves reuploadAllowed", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const broken = yield* inHalves(author, "one", () => Promise.reject(new Error("gone")))
      assert.deepStrictEqual(refusalOf(broken), [400, "malformed-multipart"])
      const [safety] = yield* recovered(author, broken)
      assert.deepStrictEqual(
        [safety.state, safety.received, safety.reuploadAllowed],
        ["receiving", false, true]
      )
      const again = yield* author.avatar({ key: "one" })
      assert.deepStrictEqual([again.status, again.body.safety.received], [200, true])
      assert.strictEqual(again.body.safety.operationId, safety.operationId)
      assert.isTrue(again.body.safety.associated)
    })
  )

  it.effect("A repeat that waits for a broken body receives its own bytes immediately", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      let breakOff = () => {}
      const gate = new Promise<void>((_, reject) => {
        breakOff = () => reject(new Error("gone"))
      })
      const first = yield* Effect.forkChild(inHalves(author, "one", () => gate))
      yield* eventually(
        "receiving",
        Effect.map(operationsOf(author.handle), (it) => it === 1)
      )
      const second = yield* Effect.forkChild(author.avatar({ key: "one" }))
      yield* TestClock.adjust(50)
      breakOff()
      assert.strictEqual((yield* Fiber.join(first)).status, 400)
      const { body, status } = yield* inTime(Fiber.join(second))
      assert.deepStrictEqual(
        [status, body.replayed, body.safety.received, body.safety.state],
        [200, true, true, "queued"]
      )
      assert.isTrue(body.safety.associated)
    })
  )

  it.effect("An upload that is cancelled while its bytes arrive leaves no file", () =>
    Effect.gen(function* () {
      const { author, first, goOn } = yield* receiving
      const receipt = yield* inTime(author.avatar({ key: "one" }))
      const cancelled = yield* author.cancel(receipt)
      assert.strictEqual(cancelled.body.safety.state, "cancelled")
      yield* workOff
      goOn()
      const answer = yield* Fiber.join(first)
      assert.deepStrictEqual(
        [answer.body.safety.state, answer.body.safety.received, answer.body.publicUrl],
        ["cancelled", false, null]
      )
      yield* workOff
      const left = (yield* storedKeys).filter((it) => it.includes(answer.body.safety.operationId))
      assert.deepStrictEqual(left, [])
      assert.isNull((yield* author.profile()).body.avatarUrl)
    })
  )

  it.effect("A repeat is answered with the receipt of the request that is receiving the bytes", () =>
    Effect.gen(function* () {
      const { author, first, goOn } = yield* receiving
      const second = yield* inTime(author.avatar({ key: "one" }))
      assert.deepStrictEqual([second.status, second.body.replayed], [200, true])
      assert.deepStrictEqual(
        [second.body.safety.state, second.body.safety.received, second.body.safety.reuploadAllowed],
        ["receiving", false, false]
      )
      assert.strictEqual(second.body.safety.retryAfterSeconds, 5)
      goOn()
      const answer = yield* Fiber.join(first)
      assert.deepStrictEqual([answer.status, answer.body.safety.received], [202, true], answer.text)
      assert.strictEqual(answer.body.safety.operationId, second.body.safety.operationId)
    })
  )
})
