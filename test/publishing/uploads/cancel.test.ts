import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ScannerMemory } from "../../../layers/testing/ScannerMemory.ts"
import { media, pngFile, stepOf, take, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { TestClient } from "../../support/TestClient.ts"
import { alone, kept, malware, objectsOf, rejecting, waitOf } from "./screenings.ts"

const fresh = alone("test_uploads_cancel")

describe("DELETE on actions.cancel (3.2.4)", () => {
  it.effect("A cancelled image loses its references and its URL, and then its files", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      const cancelled = yield* author.cancel(sent)
      assert.strictEqual(cancelled.status, 200)
      const { associated, desired, eligible, retryAfterSeconds, reuploadAllowed, state } =
        cancelled.body.safety
      assert.deepStrictEqual(
        [state, desired, associated, eligible, retryAfterSeconds, reuploadAllowed],
        ["cancelled", false, false, false, 0, false]
      )
      assert.isNull(cancelled.body.publicUrl)
      assert.isNull((yield* author.profile()).body.avatarUrl)
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
      assert.lengthOf(yield* objectsOf(sent), 2)
      assert.strictEqual(yield* workOff, 1)
      assert.deepStrictEqual(yield* objectsOf(sent), [])
      assert.strictEqual((yield* kept(sent)).staged_bytes, 0)
    }).pipe(fresh)
  )

  it.effect("A cancellation takes an inline or og image out of the Post, which has a new revision", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft()
      const og = yield* author.og(post)
      const { body: before } = yield* author.read(post.id)
      const inline = yield* author.inline(before, { parts: [pngFile(2)] })
      const { body: saved } = yield* author.patch(post.id, {
        freeContentMarkdown: `![it](${inline.body.publicUrl})\n\nwords`
      })
      const cancelled = yield* author.cancel(og)
      assert.notStrictEqual(cancelled.body.currentRevision, saved.updatedAt)
      const afterOg = (yield* author.read(post.id)).body
      assert.strictEqual(afterOg.updatedAt, cancelled.body.currentRevision)
      assert.include(afterOg.freeContentMarkdown, inline.body.publicUrl)
      assert.isNull(afterOg.ogImage)
      yield* author.cancel(inline)
      const { body } = yield* author.read(post.id)
      assert.strictEqual(body.freeContentMarkdown, "words")
      assert.notStrictEqual(body.updatedAt, afterOg.updatedAt)
    }).pipe(fresh)
  )

  it.effect("A cancellation may be repeated, and then changes nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      const first = yield* author.cancel(sent)
      yield* workOff
      const row = yield* kept(sent)
      assert.deepStrictEqual((yield* author.cancel(sent)).body, first.body)
      assert.deepStrictEqual(yield* kept(sent), row)
      assert.strictEqual(yield* workOff, 0)
    }).pipe(fresh)
  )

  it.effect("A cancellation discards the verdict that is under way", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const scanner = yield* ScannerMemory
      for (const verdict of ["cleared", "rejected"]) {
        const sent = yield* author.avatar()
        if (verdict === "rejected") yield* scanner.answerNext(malware)
        yield* scanner.hold
        const working = yield* Effect.forkChild(workOff)
        yield* scanner.held
        yield* author.cancel(sent)
        yield* scanner.release
        yield* Fiber.join(working)
        yield* workOff
        const row = yield* kept(sent)
        assert.deepStrictEqual([row.state, row.verdict, row.next_task], ["cancelled", null, null])
        assert.deepStrictEqual(yield* objectsOf(sent), [])
      }
    }).pipe(fresh)
  )

  it.effect("A cancellation removes a cleared image, and keeps the verdict of a rejected one", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const cleared = yield* author.avatar()
      yield* workOff
      assert.strictEqual((yield* author.cancel(cleared)).body.safety.state, "cancelled")
      yield* workOff
      assert.deepStrictEqual(yield* objectsOf(cleared), [])
      const rejected = yield* author.avatar()
      yield* rejecting
      const { body } = yield* author.cancel(rejected)
      assert.deepStrictEqual([body.safety.state, body.safety.desired], ["rejected", false])
    }).pipe(fresh)
  )

  it.effect("An image that was taken off as header can still be cancelled, and its files go", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const client = yield* TestClient
      const sent = yield* author.header()
      yield* workOff
      yield* client.send("DELETE", "/api/v1/profile/header", { token: author.key })
      assert.isNull((yield* author.profile()).body.headerImageUrl)
      const { body } = yield* author.cancel(sent)
      assert.deepStrictEqual(
        [body.safety.state, body.safety.desired, body.publicUrl],
        ["cancelled", false, null]
      )
      yield* workOff
      assert.deepStrictEqual(yield* objectsOf(sent), [])
    }).pipe(fresh)
  )

  it.effect("Another owner's image is 404", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const other = yield* uploaderOf(2)
      const sent = yield* author.avatar()
      for (const send of [other.cancel, other.status, other.associate]) {
        assert.strictEqual((yield* send(sent)).status, 404)
      }
      assert.isTrue((yield* author.status(sent)).body.safety.desired)
    }).pipe(fresh)
  )

  it.effect("A release of the work under way does not undo a cancellation", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      const [upload] = yield* take(1)
      yield* author.cancel(sent)
      yield* stepOf(upload!)
      assert.strictEqual((yield* kept(sent)).state, "cancelled")
      assert.isNull((yield* author.profile()).body.avatarUrl)
      yield* workOff
      yield* TestClock.adjust(Math.max(0, yield* waitOf(sent)))
      assert.strictEqual(yield* workOff, 0)
    }).pipe(fresh)
  )
})
