import { assert, it } from "@effect/vitest"
import { backoffMillis } from "../../../src/platform/time/backoff.ts"

it("A wait doubles with each failure until it is the longest", () => {
  const backoff = { firstMillis: 1_000, longestMillis: 60_000 }
  const waits = Array.from({ length: 8 }, (_, i) => backoffMillis(backoff, i + 1))
  assert.deepStrictEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  assert.strictEqual(backoffMillis(backoff, 2 ** 31 - 1), 60_000)
})
