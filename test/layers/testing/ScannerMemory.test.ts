import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ScannerMemory from "../../../layers/testing/ScannerMemory.ts"
import { Scanner, ScannerUnavailable, type ScanVerdict } from "../../../src/platform/ports/Scanner.ts"

const a = Buffer.from("a")
const clean: ScanVerdict = { verdict: "clean" }
const malware: ScanVerdict = { verdict: "malware", finding: "X" }

describe("the memory double of the scanner", () => {
  it.effect("The double answers as told, in that order, and then clean", () =>
    Effect.gen(function* () {
      const [scanner, memory] = [yield* Scanner, yield* ScannerMemory.ScannerMemory]
      yield* memory.answerNext(new ScannerUnavailable({ reason: "timeout" }), 2)
      yield* memory.answerNext(malware)
      assert.strictEqual((yield* Effect.flip(scanner.scan(a))).reason, "timeout")
      assert.strictEqual((yield* Effect.flip(scanner.scan(a))).reason, "timeout")
      assert.deepStrictEqual(yield* scanner.scan(a), malware)
      assert.deepStrictEqual(yield* scanner.scan(Buffer.from("b")), clean)
      assert.deepStrictEqual(yield* memory.scanned, [a, a, a, Buffer.from("b")])
    }).pipe(Effect.provide(ScannerMemory.layer))
  )

  it.effect("The double has the definitions that a test sets, and new ones until then", () =>
    Effect.gen(function* () {
      const [scanner, memory] = [yield* Scanner, yield* ScannerMemory.ScannerMemory]
      yield* TestClock.setTime(5000)
      assert.deepStrictEqual((yield* scanner.definitions).publishedAt, new Date(5000))
      const old = { engine: "memory", version: "0", publishedAt: null }
      yield* memory.setDefinitions(old)
      assert.deepStrictEqual(yield* scanner.definitions, old)
      yield* memory.setDefinitions(new ScannerUnavailable({ reason: "unreachable" }))
      assert.strictEqual((yield* Effect.flip(scanner.definitions)).reason, "unreachable")
    }).pipe(Effect.provide(ScannerMemory.layer))
  )

  it.effect("Scans are held until released, and then answered as told meanwhile", () =>
    Effect.gen(function* () {
      const [scanner, memory] = [yield* Scanner, yield* ScannerMemory.ScannerMemory]
      yield* memory.hold
      const scan = yield* Effect.forkChild(scanner.scan(a))
      yield* memory.held
      assert.strictEqual((yield* memory.scanned).length, 1)
      assert.isUndefined(scan.pollUnsafe())
      yield* memory.answerNext(malware)
      yield* memory.release
      assert.deepStrictEqual(yield* Fiber.join(scan), malware)
      assert.deepStrictEqual(yield* scanner.scan(a), clean)
    }).pipe(Effect.provide(ScannerMemory.layer))
  )

  it.effect("A held scan can be interrupted", () =>
    Effect.gen(function* () {
      const [scanner, memory] = [yield* Scanner, yield* ScannerMemory.ScannerMemory]
      yield* memory.hold
      yield* memory.answerNext(malware)
      const scan = yield* Effect.forkChild(scanner.scan(a))
      yield* memory.held
      yield* Fiber.interrupt(scan)
      yield* memory.release
      assert.deepStrictEqual(yield* scanner.scan(a), malware)
    }).pipe(Effect.provide(ScannerMemory.layer))
  )
})
