import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { tipAmountOf } from "../../../src/payments/tips/tipAmount.ts"

const outcome = (named: { readonly amountRaw?: string; readonly amountXno?: string }) =>
  Result.match(tipAmountOf(named), {
    onSuccess: String,
    onFailure: ({ code, field }) => `${field} ${code}`
  })

const TEN_MICRO = `1${"0".repeat(25)}`

describe("the amount of a tip", () => {
  it("An amount is 0.00001 to 9999 XNO with at most 6 decimals, in raw or in XNO", () => {
    assert.strictEqual(outcome({ amountXno: "0.00001" }), TEN_MICRO)
    assert.strictEqual(outcome({ amountRaw: TEN_MICRO }), TEN_MICRO)
    assert.strictEqual(outcome({ amountXno: "9999" }), `9999${"0".repeat(30)}`)
    assert.strictEqual(outcome({ amountRaw: TEN_MICRO, amountXno: "0.000010" }), TEN_MICRO)
  })

  it("A refused amount names the wrong member", () => {
    assert.strictEqual(outcome({}), "amountRaw required")
    assert.strictEqual(outcome({ amountXno: "0.000009" }), "amountXno out_of_range")
    assert.strictEqual(outcome({ amountXno: "9999.000001" }), "amountXno out_of_range")
    assert.strictEqual(outcome({ amountXno: "0.0000101" }), "amountXno out_of_range")
    assert.strictEqual(outcome({ amountRaw: `${TEN_MICRO.slice(0, -1)}1` }), "amountRaw out_of_range")
    assert.strictEqual(outcome({ amountRaw: "0x10" }), "amountRaw invalid")
    assert.strictEqual(outcome({ amountXno: "1e3" }), "amountXno invalid")
    assert.strictEqual(outcome({ amountXno: "1", amountRaw: TEN_MICRO }), "amountRaw mismatch")
  })
})
