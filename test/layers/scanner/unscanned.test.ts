import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as ScannerNone from "../../../layers/scanner/ScannerNone.ts"
import * as ScannerNotConfigured from "../../../layers/scanner/ScannerNotConfigured.ts"
import { Scanner, type ScanVerdict } from "../../../src/platform/ports/Scanner.ts"

const a = Buffer.from("a")
const clean: ScanVerdict = { verdict: "clean" }

describe("the choice to scan nothing", () => {
  it.effect("A service without a scanner calls every file clean, with definitions that are never stale", () =>
    Effect.gen(function* () {
      const scanner = yield* Scanner
      assert.strictEqual(scanner.kind, "none")
      assert.deepStrictEqual(yield* scanner.scan(a), clean)
      for (const now of [0, 1_800_000_000_000]) {
        yield* TestClock.setTime(now)
        assert.deepStrictEqual(yield* scanner.definitions, {
          engine: "none",
          version: null,
          publishedAt: new Date(now)
        })
      }
    }).pipe(Effect.provide(ScannerNone.layer))
  )
})

describe("a scanner that is not configured", () => {
  it.effect("A scanner that is not configured gives no verdict", () =>
    Effect.gen(function* () {
      const scanner = yield* Scanner
      assert.strictEqual(scanner.kind, "scanner")
      assert.strictEqual((yield* Effect.flip(scanner.scan(a))).reason, "not_configured")
      assert.strictEqual((yield* Effect.flip(scanner.definitions)).reason, "not_configured")
    }).pipe(Effect.provide(ScannerNotConfigured.layer))
  )
})
