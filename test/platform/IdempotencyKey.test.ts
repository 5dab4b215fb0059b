import { assert, describe, it } from "@effect/vitest"
import { IdempotencyKey } from "../../schemas/platform/IdempotencyKey.ts"
import { answerTo } from "./answerTo.ts"

describe("an Idempotency-Key", () => {
  it("A key has 1 to 255 visible ASCII characters, and stays as it was sent", () => {
    for (const key of ["a", "!~", "x".repeat(255), "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"])
      assert.strictEqual(answerTo(IdempotencyKey, key), key)
    assert.match(answerTo(IdempotencyKey, ""), /^too_short: /)
    assert.match(answerTo(IdempotencyKey, "x".repeat(256)), /^too_long: /)
  })

  it("A key with other characters is refused, because headers and queries encode them differently", () => {
    for (const key of ["a b", "\ta", "a\n", "\u00e9", "e\u0301", "a\u200bb", "a\u202eb"])
      assert.match(answerTo(IdempotencyKey, key), /^invalid: /)
  })
})
