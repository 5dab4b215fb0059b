import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { ImageDecoderMemory } from "../../../../layers/testing/ImageDecoderMemory.ts"
import { KnownMaterialMemory } from "../../../../layers/testing/KnownMaterialMemory.ts"
import { ObjectStorageMemory } from "../../../../layers/testing/ObjectStorageMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { ImageDecodingFailed, ImageDecoderUnavailable } from "../../../../src/platform/ports/ImageDecoder.ts"
import { KnownMaterialUnavailable } from "../../../../src/platform/ports/KnownMaterial.ts"
import { ObjectKey, ObjectStorage } from "../../../../src/platform/ports/ObjectStorage.ts"
import { ScannerUnavailable } from "../../../../src/platform/ports/Scanner.ts"
import { now } from "../../../../src/platform/time/now.ts"
import { media, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { alone, kept, objectsOf, publicKey, scannerIsBack, stagedKey, waitOf } from "../screenings.ts"

const away = new Error("away")
const crashed = new ImageDecodingFailed({ reason: "crashed" })

/** Passes the time until the operation is due. */
const untilDue = (sent: Parameters<typeof waitOf>[0]) => Effect.flatMap(waitOf(sent), TestClock.adjust)

/** Waits for an operation whose step has failed `delays.length` times, each of these seconds or up to a fifth less. */
const followsSchedule = Effect.fnUntraced(function* (
  sent: Parameters<typeof waitOf>[0],
  delays: ReadonlyArray<number>
) {
  const jitters = new Set<number>()
  for (const seconds of delays) {
    assert.strictEqual(yield* workOff, 1)
    const wait = yield* waitOf(sent)
    assert.isAtMost(wait, seconds * 1000)
    assert.isAtLeast(wait, seconds * 800)
    jitters.add(wait / seconds)
    yield* TestClock.adjust(wait - 1)
    assert.strictEqual(yield* workOff, 0)
    yield* TestClock.adjust(1)
  }
  return jitters
})

const fresh = alone("test_uploads_retries")

describe("screening (3.2)", () => {
  describe("retries of transient scanner or provider failures (3.2.7)", () => {
    it.effect("A retry comes after 5 s, 10 s, 20 s … and at most 300 s, up to a fifth earlier", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const sent = yield* author.avatar()
        yield* (yield* ScannerMemory).setDefinitions(new ScannerUnavailable({ reason: "unreachable" }))
        const jitters = yield* followsSchedule(sent, [5, 10, 20, 40, 80, 160, 300, 300, 300])
        // Images that failed together are retried at different times.
        assert.isAbove(jitters.size, 5)
        yield* scannerIsBack
        yield* workOff
        assert.strictEqual((yield* author.status(sent)).body.safety.state, "cleared")
      }).pipe(fresh)
    )

    const ATTEMPTS = 14

    const outages = [
      {
        what: "an unavailable scanner",
        reason: "unavailable scanner",
        begin: Effect.flatMap(ScannerMemory, (it) =>
          it.setDefinitions(new ScannerUnavailable({ reason: "unreachable" }))
        ),
        end: scannerIsBack
      },
      {
        what: "a scanner that gives no verdict",
        reason: "unavailable scanner",
        begin: Effect.flatMap(ScannerMemory, (it) =>
          it.answerNext(new ScannerUnavailable({ reason: "timeout" }), ATTEMPTS)
        ),
        end: Effect.void
      },
      {
        what: "an unavailable provider of known material",
        reason: "unavailable provider",
        begin: Effect.flatMap(KnownMaterialMemory, (it) =>
          it.answerNext(new KnownMaterialUnavailable({ cause: away }), ATTEMPTS)
        ),
        end: Effect.void
      },
      {
        what: "a scanner whose definitions have no date",
        reason: "stale definitions",
        begin: Effect.flatMap(ScannerMemory, (it) =>
          it.setDefinitions({ engine: "memory", version: "1", publishedAt: null })
        ),
        end: scannerIsBack
      },
      {
        what: "a machine that can decode nothing",
        reason: "unavailable inspection",
        begin: Effect.flatMap(ImageDecoderMemory, (it) =>
          it.failNext(new ImageDecoderUnavailable({ cause: away }), ATTEMPTS)
        ),
        end: Effect.void
      },
      {
        what: "an unavailable storage",
        reason: "unavailable storage",
        begin: Effect.flatMap(ObjectStorageMemory, (it) => it.failNext("get", ATTEMPTS)),
        end: Effect.void
      }
    ] as const

    outages.forEach(({ begin, end, reason, what }, index) =>
      it.effect(`The screening waits days for ${what}, lastError says why, and the URL stays`, () =>
        Effect.gen(function* () {
          const author = yield* uploaderOf(10 + index)
          const sent = yield* author.avatar()
          yield* begin
          const attempt = Effect.gen(function* () {
            assert.strictEqual(yield* workOff, 1)
            const { body, status } = yield* author.status(sent)
            const { lastError, retryAfterSeconds, reuploadAllowed, state } = body.safety
            assert.deepStrictEqual([status, state, lastError], [202, "queued", reason])
            assert.strictEqual(retryAfterSeconds, Math.min(60, Math.ceil((yield* waitOf(sent)) / 1000)))
            assert.isFalse(reuploadAllowed)
            assert.strictEqual(body.publicUrl, sent.body.publicUrl)
          })
          for (let i = 0; i < 8; i++) yield* Effect.andThen(attempt, untilDue(sent))
          for (let i = 8; i < ATTEMPTS; i++) yield* Effect.andThen(attempt, TestClock.adjust("1 day"))
          assert.strictEqual((yield* kept(sent)).failures, 0)
          yield* end
          yield* workOff
          const { body, status } = yield* author.status(sent)
          const { lastError, retryAfterSeconds, state } = body.safety
          assert.deepStrictEqual([status, state, lastError, retryAfterSeconds], [200, "cleared", null, 0])
          assert.strictEqual((yield* author.profile()).body.avatarUrl, sent.body.publicUrl)
        }).pipe(fresh)
      )
    )

    it.effect("Definitions are stale once they are older than their maximum age, and no sooner", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(2)
        const { setDefinitions } = yield* ScannerMemory
        const sevenDays = Duration.toMillis("7 days")
        yield* TestClock.adjust("8 days")
        const at = (yield* now).getTime()
        const ofAge = (millis: number) =>
          setDefinitions({ engine: "memory", version: "1", publishedAt: new Date(at - millis) })
        yield* ofAge(sevenDays + 1)
        const sent = yield* author.avatar()
        yield* workOff
        assert.strictEqual((yield* author.status(sent)).body.safety.lastError, "stale definitions")
        const other = yield* author.avatar()
        yield* ofAge(sevenDays)
        yield* workOff
        assert.strictEqual((yield* author.status(other)).body.safety.state, "cleared")
        yield* untilDue(sent)
        yield* scannerIsBack
        yield* workOff
        assert.strictEqual((yield* author.status(sent)).body.safety.state, "cleared")
      }).pipe(fresh)
    )

    it.effect("A cleanup that storage refuses is also tried again, and changes no verdict", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(3)
        const sent = yield* author.avatar()
        yield* (yield* ObjectStorageMemory).failNext("remove", 8)
        assert.strictEqual(yield* workOff, 2)
        yield* untilDue(sent)
        yield* followsSchedule(sent, [10, 20, 40, 80, 160, 300, 300])
        const { body } = yield* author.status(sent)
        assert.deepStrictEqual([body.safety.state, body.safety.lastError], ["cleared", null])
        assert.strictEqual(yield* workOff, 1)
        assert.deepStrictEqual(yield* objectsOf(sent), [publicKey(sent)])
      }).pipe(fresh)
    )
  })

  describe("exhausted retries (3.2.6)", () => {
    it.effect(
      "A decoder that dies of an image is tried after 10, 20, 40 and 80 s, and then never again",
      () =>
        Effect.gen(function* () {
          const author = yield* uploaderOf(4)
          const sent = yield* author.avatar()
          yield* (yield* ImageDecoderMemory).failNext(crashed, 5)
          yield* followsSchedule(sent, [10, 20, 40, 80])
          const { body } = yield* author.status(sent)
          assert.deepStrictEqual(
            [body.safety.state, body.safety.lastError],
            ["queued", "unsupported or incomplete inspection"]
          )
          yield* workOff
          const failed = yield* author.status(sent)
          const { eligible, lastError, retryAfterSeconds, reuploadAllowed, state } = failed.body.safety
          assert.deepStrictEqual(
            [failed.status, state, lastError, retryAfterSeconds, reuploadAllowed, eligible],
            [200, "failed", "exhausted attempts", 0, false, false]
          )
          assert.isNull(failed.body.publicUrl)
          assert.isNull((yield* author.profile()).body.avatarUrl)
          assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
          assert.deepStrictEqual(yield* objectsOf(sent), [])
          assert.strictEqual((yield* kept(sent)).failures, 4)
        }).pipe(fresh)
    )

    it.effect("A deadline counts like a crash, and an unavailable dependency between them does not", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(5)
        const sent = yield* author.avatar()
        const images = yield* ImageDecoderMemory
        const attempt = Effect.andThen(workOff, untilDue(sent))
        for (let i = 0; i < 4; i++) {
          yield* images.failNext(i % 2 === 0 ? crashed : new ImageDecodingFailed({ reason: "deadline" }))
          yield* attempt
          yield* images.failNext(new ImageDecoderUnavailable({ cause: away }), 2)
          yield* Effect.andThen(attempt, attempt)
        }
        const row = yield* kept(sent)
        assert.deepStrictEqual([row.state, row.failures, row.retries], ["queued", 4, 8])
        yield* workOff
        assert.strictEqual((yield* author.status(sent)).body.safety.state, "cleared")
      }).pipe(fresh)
    )

    it.effect("A staged file that differs from the received one is not screened", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(6)
        const { inspected } = yield* ImageDecoderMemory
        const sent = yield* author.avatar()
        const before = (yield* inspected).length
        const storage = yield* ObjectStorage
        yield* storage.put(ObjectKey.make(stagedKey(sent)), new Uint8Array(8), { contentType: "image/png" })
        yield* workOff
        assert.deepStrictEqual((yield* inspected).length, before)
        assert.strictEqual((yield* kept(sent)).failures, 1)
        for (let i = 0; i < 4; i++) yield* Effect.andThen(untilDue(sent), workOff)
        assert.strictEqual((yield* author.status(sent)).body.safety.lastError, "exhausted attempts")
      }).pipe(fresh)
    )
  })
})
