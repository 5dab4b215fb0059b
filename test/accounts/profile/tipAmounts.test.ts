import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { areWrittenAs } from "../../../src/accounts/profile/tipAmounts.ts"

/** Returns true when the amounts read from JSON are exactly the written ones. */
const areExact = (...texts: ReadonlyArray<string>) => {
  const json = `{"tipping":{"buttonLabel":"Tip","amounts":[${texts.join(",")}]}}`
  return areWrittenAs(JSON.parse(json).tipping.amounts, json)
}

describe("amounts of tipping as they are written (4.2.6)", () => {
  it("An amount may be written in every way that JSON has for the same decimal", () => {
    assert.isTrue(areExact("0.001", "1e-3", "1E-3"))
    assert.isTrue(areExact("0.250", "2.5e-1", "25e-2"))
    assert.isTrue(areExact("100", "1e2", "1.00E+2"))
    assert.isTrue(areExact("133248296.999999", "133248297", "133248297.000000"))
  })

  it("An amount is refused when a double holds another number", () => {
    for (const text of [
      "0.0009999999999999999999",
      "0.25000000000000000001",
      "0.1000000000000000055511151231257827",
      "0.999999999999999999999999",
      "133248296.99999900000000000001"
    ])
      assert.isFalse(areExact("0.5", text), text)
  })

  it("An amount is refused immediately when its text is longer than any amount needs", () => {
    assert.isTrue(areExact(`0.25${"0".repeat(28)}`))
    assert.isFalse(areExact(`0.25${"0".repeat(29)}`))
    assert.isFalse(areExact(`0.${"0".repeat(400_000)}1${"0".repeat(400_000)}1`))
  })

  it("Of two members with one name, the last one counts", () => {
    const json = `{"tipping":{"amounts":[0.25000000000000000001]},"tipping":{"amounts":[0.25]}}`
    assert.isTrue(areWrittenAs([0.25], json))
  })

  it("Every number of millionths within the bounds is exact", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 133_248_297_000_000 }), (millionths) => {
        const digits = String(millionths).padStart(7, "0")
        assert.isTrue(areExact(`${digits.slice(0, -6)}.${digits.slice(-6)}`))
      })
    )
  })
})
