import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ImageDecoderMemory } from "../../../../layers/testing/ImageDecoderMemory.ts"
import { KnownMaterialMemory } from "../../../../layers/testing/KnownMaterialMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { ImageUnreadable } from "../../../../src/platform/ports/ImageDecoder.ts"
import { now } from "../../../../src/platform/time/now.ts"
import { media, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { alone, incomplete, kept, malware, objectsOf, scannerIsBack } from "../screenings.ts"

const fresh = alone("test_uploads_screening")

describe("screening (3.2)", () => {
  describe("unsupported or incomplete inspection (2.8)", () => {
    const unreadable = [
      ["undecodable", /damaged/],
      ["too_many_representations", /at most 128 are supported/],
      ["too_many_pixels", /more pixels/]
    ] as const

    const failsAtOnce = Effect.fnUntraced(function* (number: number, finding: string, explained: RegExp) {
      const author = yield* uploaderOf(number)
      const sent = yield* author.avatar()
      assert.strictEqual(yield* workOff, 2)
      const { body } = yield* author.status(sent)
      const { detail, lastError, state } = body.safety
      assert.deepStrictEqual([state, lastError], ["failed", "unsupported or incomplete inspection"])
      assert.match(detail, explained)
      assert.strictEqual((yield* kept(sent)).finding, finding)
      assert.isNull((yield* author.profile()).body.avatarUrl)
      assert.deepStrictEqual(yield* objectsOf(sent), [])
    })

    unreadable.forEach(([reason, explained], index) =>
      it.effect(`An image that is ${reason} fails immediately`, () =>
        Effect.gen(function* () {
          yield* (yield* ImageDecoderMemory).failNext(new ImageUnreadable({ reason }))
          yield* failsAtOnce(30 + index, `image: ${reason}`, explained)
        }).pipe(fresh)
      )
    )

    it.effect("An image that the scanner cannot inspect fails immediately", () =>
      Effect.gen(function* () {
        yield* (yield* ScannerMemory).answerNext(incomplete)
        yield* failsAtOnce(33, "incomplete: Heuristics.Limits.Exceeded", /scanner could not inspect/)
      }).pipe(fresh)
    )
  })

  it.effect("A queued or checking image may have a URL (3.2.3)", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(7)
      const scanner = yield* ScannerMemory
      const sent = yield* author.avatar()
      assert.strictEqual(sent.status, 202)
      assert.strictEqual(sent.body.safety.state, "queued")
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
      yield* scanner.hold
      const working = yield* Effect.forkChild(workOff)
      yield* scanner.held
      const { body, status } = yield* author.status(sent)
      const { eligible, retryAfterSeconds, state } = body.safety
      assert.deepStrictEqual([status, state, eligible, retryAfterSeconds], [202, "checking", false, 1])
      assert.strictEqual(body.publicUrl, sent.body.publicUrl)
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
      yield* scanner.release
      yield* Fiber.join(working)
    }).pipe(fresh)
  )

  it.effect("A verdict is recorded with its engine and versions", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(8)
      const scanner = yield* ScannerMemory
      const knownMaterial = yield* KnownMaterialMemory
      yield* scanner.setDefinitions({ engine: "ClamAV 1.4.6", version: "27800", publishedAt: yield* now })
      yield* knownMaterial.setVersion("list-7")
      const at = yield* now
      const record = Effect.fnUntraced(function* () {
        const sent = yield* author.avatar()
        yield* workOff
        const row = yield* kept(sent)
        assert.deepStrictEqual(row.decided_at, at)
        assert.strictEqual((yield* author.status(sent)).body.safety.policyVersion, row.policy_version)
        const {
          definitions_version,
          engine,
          finding,
          known_material_version,
          policy_version,
          state,
          verdict
        } = row
        assert.strictEqual(verdict, state)
        return [verdict, finding, policy_version, engine, definitions_version, known_material_version]
      })
      const policy = "2026-11-2"
      const clamd = ["ClamAV 1.4.6", "27800"]
      assert.deepStrictEqual(yield* record(), ["cleared", null, policy, ...clamd, "list-7"])
      yield* scanner.answerNext(malware)
      assert.deepStrictEqual(yield* record(), [
        "rejected",
        "malware: Eicar-Test-Signature",
        policy,
        ...clamd,
        null
      ])
      yield* knownMaterial.answerNext({ version: "list-8", match: "entry 4" })
      assert.deepStrictEqual(yield* record(), [
        "rejected",
        "known material: entry 4",
        policy,
        ...clamd,
        "list-8"
      ])
      yield* (yield* ImageDecoderMemory).failNext(new ImageUnreadable({ reason: "undecodable" }))
      assert.deepStrictEqual(yield* record(), ["failed", "image: undecodable", policy, null, null, null])
      yield* scannerIsBack
    }).pipe(fresh)
  )

  it.effect("Findings are only for operators, and receipts do not contain them", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(9)
      yield* (yield* ScannerMemory).answerNext(malware)
      const sent = yield* author.avatar()
      yield* workOff
      const { body, text } = yield* author.status(sent)
      assert.deepStrictEqual([body.safety.state, body.safety.lastError], ["rejected", null])
      assert.notInclude(text, "Eicar")
    }).pipe(fresh)
  )
})
