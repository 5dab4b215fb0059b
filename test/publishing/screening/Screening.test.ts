import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as Archives from "../../../layers/testing/ArchiveInspectorMemory.ts"
import * as Decoders from "../../../layers/testing/ImageDecoderMemory.ts"
import * as KnownMaterials from "../../../layers/testing/KnownMaterialMemory.ts"
import * as Scanners from "../../../layers/testing/ScannerMemory.ts"
import {
  ArchiveInspectionFailed,
  ArchiveInspectorUnavailable,
  ArchiveUnreadable
} from "../../../src/platform/ports/ArchiveInspector.ts"
import { ImageUnreadable } from "../../../src/platform/ports/ImageDecoder.ts"
import { KnownMaterial, KnownMaterialUnavailable } from "../../../src/platform/ports/KnownMaterial.ts"
import { Scanner, type ScannerDefinitions, ScannerUnavailable } from "../../../src/platform/ports/Scanner.ts"
import { backoffMillis } from "../../../src/platform/time/backoff.ts"
import { backoffs } from "../../../src/publishing/screening/attempts.ts"
import { policyVersionOf } from "../../../src/publishing/screening/policy.ts"
import { Screening } from "../../../src/publishing/screening/Screening.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { bytesOf } from "../image-formats/shared/makeBytes.ts"
import { malware } from "../uploads/screenings.ts"

const ports = Layer.mergeAll(Archives.layer, Decoders.layer, KnownMaterials.layer, Scanners.layer)
const screening = Screening.layer.pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))
const alone = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.provide(test, Layer.fresh(screening.pipe(Layer.provideMerge(ports))))

const bytes = Uint8Array.of(1, 2, 3)
const sha256 = createHash("sha256").update(bytes).digest("hex")
const screen = Effect.flatMap(Screening, (it) => it.screen({ bytes, sha256, format: "png" }))
const reasonOf = Effect.map(Effect.flip(screen), (error) => error.reason)
const away = new Error("away")

describe("the stages of screening", () => {
  const asked = Effect.gen(function* () {
    return {
      inspected: (yield* (yield* Decoders.ImageDecoderMemory).inspected).length,
      scanned: (yield* (yield* Scanners.ScannerMemory).scanned).length,
      compared: (yield* (yield* KnownMaterials.KnownMaterialMemory).compared).length
    }
  })

  it.effect("An image is cleared after it was inspected, scanned and compared by every hash", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* screen).verdict, "cleared")
      assert.deepStrictEqual(yield* asked, { inspected: 1, scanned: 1, compared: 1 })
      assert.deepStrictEqual(yield* (yield* Decoders.ImageDecoderMemory).inspected, [
        { bytes, format: "png" }
      ])
      assert.deepStrictEqual(yield* (yield* Scanners.ScannerMemory).scanned, [bytes])
      const { compared } = yield* KnownMaterials.KnownMaterialMemory
      const { representations } = Decoders.inspectionOf(bytes)
      assert.deepStrictEqual(yield* compared, [{ sha256, representations }])
    }).pipe(alone)
  )

  it.effect("The first finding ends the other stages", () =>
    Effect.gen(function* () {
      yield* (yield* Decoders.ImageDecoderMemory).failNext(new ImageUnreadable({ reason: "undecodable" }))
      assert.strictEqual((yield* screen).verdict, "failed")
      assert.deepStrictEqual(yield* asked, { inspected: 1, scanned: 0, compared: 0 })
      yield* (yield* Scanners.ScannerMemory).answerNext(malware)
      assert.strictEqual((yield* screen).verdict, "rejected")
      assert.deepStrictEqual(yield* asked, { inspected: 2, scanned: 1, compared: 0 })
      yield* (yield* KnownMaterials.KnownMaterialMemory).answerNext({ version: "1", match: "entry" })
      assert.strictEqual((yield* screen).verdict, "rejected")
      assert.deepStrictEqual(yield* asked, { inspected: 3, scanned: 2, compared: 1 })
    }).pipe(alone)
  )

  it.effect("An image that the scanner cannot inspect whole is scanned as its readers see it", () =>
    Effect.gen(function* () {
      const scanner = yield* Scanners.ScannerMemory
      const plain = pngOf()
      const verdictOf = (received: Uint8Array, format: "png" | "zip") =>
        Effect.flatMap(Screening, (it) => it.screen({ bytes: received, sha256, format }))
      const incomplete = { verdict: "incomplete", finding: "Broken" } as const
      yield* scanner.answerNext(incomplete)
      assert.strictEqual((yield* verdictOf(bytesOf(plain, "tail"), "png")).verdict, "cleared")
      assert.deepStrictEqual((yield* scanner.scanned).at(-1), plain)
      // Its copy may not be inspected either, and other files have no copy.
      yield* scanner.answerNext(incomplete, 2)
      assert.strictEqual((yield* verdictOf(bytesOf(plain, "tail"), "png")).verdict, "failed")
      for (const [received, format] of [
        [plain, "png"],
        [bytesOf("no image"), "png"],
        [bytesOf("PK"), "zip"]
      ] as const) {
        yield* scanner.answerNext(incomplete)
        assert.strictEqual((yield* verdictOf(received, format)).verdict, "failed")
      }
      // Malware in any byte decides.
      yield* scanner.answerNext(malware)
      assert.strictEqual((yield* verdictOf(bytesOf(plain, "tail"), "png")).verdict, "rejected")
      assert.lengthOf(yield* scanner.scanned, 8)
    }).pipe(alone)
  )

  it.effect("A scanner with stale definitions does not scan", () =>
    Effect.gen(function* () {
      const scanner = yield* Scanners.ScannerMemory
      yield* scanner.setDefinitions({ engine: "memory", version: "1", publishedAt: null })
      assert.strictEqual(yield* reasonOf, "stale definitions")
      assert.deepStrictEqual(yield* asked, { inspected: 1, scanned: 0, compared: 0 })
    }).pipe(alone)
  )
})

/** Counts the calls of a provider, and fails while it is unavailable. */
const provider = () => {
  let isAway = true
  let calls = 0
  const ask = <A, E>(error: E, answer: A) =>
    Effect.suspend(() => {
      calls++
      return isAway ? Effect.fail(error) : Effect.succeed(answer)
    })
  return { ask, calls: () => calls, comeBack: Effect.sync(() => void (isAway = false)) }
}

const unreachable = new ScannerUnavailable({ reason: "unreachable" })
const definitions: Effect.Effect<ScannerDefinitions> = Effect.map(Clock.currentTimeMillis, (at) => ({
  engine: "memory",
  version: "1",
  publishedAt: new Date(at)
}))

describe("a provider that failed five times in a row", () => {
  const providers = {
    scanner: ({ ask }: ReturnType<typeof provider>) =>
      Layer.succeed(
        Scanner,
        Scanner.of({
          kind: "scanner",
          definitions,
          scan: () => ask(unreachable, { verdict: "clean" } as const)
        })
      ),
    definitions: ({ ask }: ReturnType<typeof provider>) =>
      Layer.succeed(
        Scanner,
        Scanner.of({
          kind: "scanner",
          definitions: Effect.andThen(ask(unreachable, undefined), definitions),
          scan: () => Effect.succeed({ verdict: "clean" } as const)
        })
      ),
    "known material": ({ ask }: ReturnType<typeof provider>) =>
      Layer.succeed(
        KnownMaterial,
        KnownMaterial.of({
          match: () => ask(new KnownMaterialUnavailable({ cause: away }), { version: "1", match: null })
        })
      )
  }

  for (const [name, layerOf] of Object.entries(providers)) {
    it.effect(`A failing provider of ${name} is left alone, then asked once, then trusted again`, () => {
      const it = provider()
      return Effect.gen(function* () {
        const reason = name === "known material" ? "unavailable provider" : "unavailable scanner"
        for (let failed = 1; failed <= 5; failed++) {
          assert.strictEqual(yield* reasonOf, reason)
          assert.strictEqual(it.calls(), failed)
        }
        for (let i = 0; i < 10; i++) assert.strictEqual(yield* reasonOf, reason)
        yield* TestClock.adjust(4_999)
        assert.strictEqual(yield* reasonOf, reason)
        assert.strictEqual(it.calls(), 5)
        yield* TestClock.adjust(1)
        // The provider failed again, so the service waits longer.
        assert.strictEqual(yield* reasonOf, reason)
        assert.strictEqual(it.calls(), 6)
        yield* TestClock.adjust(9_999)
        assert.strictEqual(yield* reasonOf, reason)
        assert.strictEqual(it.calls(), 6)
        yield* it.comeBack
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* screen).verdict, "cleared")
        assert.strictEqual((yield* screen).verdict, "cleared")
        assert.strictEqual(it.calls(), 8)
      }).pipe(
        Effect.provide(
          Layer.fresh(
            screening.pipe(Layer.provideMerge<never, never, never>(layerOf(it)), Layer.provideMerge(ports))
          )
        )
      )
    })
  }

  it.effect("A provider is left alone for a minute at most, even after a long outage", () => {
    const it = provider()
    return Effect.gen(function* () {
      yield* Effect.replicateEffect(reasonOf, 5)
      for (let probe = 0; probe < 20; probe++) {
        const before = it.calls()
        yield* TestClock.adjust("1 minute")
        yield* reasonOf
        assert.strictEqual(it.calls(), before + 1)
      }
    }).pipe(
      Effect.provide(
        Layer.fresh(screening.pipe(Layer.provideMerge(providers.scanner(it)), Layer.provideMerge(ports)))
      )
    )
  })
})

describe("the retry schedule", () => {
  it("The delay doubles from 5 s to 300 s for outages, and from 10 s to 600 s for suspect images", () => {
    const delays = (failure: "transient" | "suspect") =>
      Array.from({ length: 9 }, (_, n) => backoffMillis(backoffs[failure], n + 1) / 1000)
    assert.deepStrictEqual(delays("transient"), [5, 10, 20, 40, 80, 160, 300, 300, 300])
    assert.deepStrictEqual(delays("suspect"), [10, 20, 40, 80, 160, 320, 600, 600, 600])
    // As many as a database can count.
    assert.strictEqual(backoffMillis(backoffs.transient, 2 ** 31 - 1), 300_000)
  })
})

describe("the policy version (2.8)", () => {
  it("The policy version names the explicit choice of no scanner", () => {
    assert.strictEqual(policyVersionOf({ kind: "scanner" }), "2026-11-2")
    assert.strictEqual(policyVersionOf({ kind: "none" }), "2026-11-2+scanner-none")
  })
})

describe("the screening of an archive (6.2)", () => {
  const screenZip = Effect.flatMap(Screening, (it) => it.screen({ bytes, sha256, format: "zip" }))
  const next = Effect.fnUntraced(function* (
    failure: ArchiveUnreadable | ArchiveInspectionFailed | ArchiveInspectorUnavailable
  ) {
    yield* (yield* Archives.ArchiveInspectorMemory).failNext(failure)
  })

  it.effect("An archive is unpacked, scanned as a whole and compared by its hash", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* screenZip).verdict, "cleared")
      assert.deepStrictEqual(yield* (yield* Archives.ArchiveInspectorMemory).inspected, [bytes])
      assert.deepStrictEqual(yield* (yield* Scanners.ScannerMemory).scanned, [bytes])
      assert.deepStrictEqual(yield* (yield* KnownMaterials.KnownMaterialMemory).compared, [
        { sha256, representations: [] }
      ])
      assert.lengthOf(yield* (yield* Decoders.ImageDecoderMemory).inspected, 0)
    }).pipe(alone)
  )

  it.effect("An archive that lies fails before the scan, and malware rejects it", () =>
    Effect.gen(function* () {
      yield* next(new ArchiveUnreadable({ reason: "damaged" }))
      const { finding, verdict } = yield* screenZip
      assert.deepStrictEqual([verdict, finding], ["failed", "archive: damaged"])
      assert.lengthOf(yield* (yield* Scanners.ScannerMemory).scanned, 0)
      yield* (yield* Scanners.ScannerMemory).answerNext(malware)
      assert.strictEqual((yield* screenZip).verdict, "rejected")
    }).pipe(alone)
  )

  it.effect("A lost process is suspect, and an absent one is waited for", () =>
    Effect.gen(function* () {
      yield* next(new ArchiveInspectionFailed({ reason: "deadline" }))
      assert.strictEqual((yield* Effect.flip(screenZip))._tag, "ScreeningBroke")
      yield* next(new ArchiveInspectorUnavailable({ cause: away }))
      assert.strictEqual((yield* Effect.flip(screenZip))._tag, "ScreeningWaits")
    }).pipe(alone)
  )
})
