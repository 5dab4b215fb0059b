import { assert, describe, it } from "@effect/vitest"
import { aboutMoney } from "../../../src/platform/nano/aboutMoney.ts"

const at = new Date("2026-11-27T16:30:00Z")
const rate = { perXno: 0.85, currency: "USD", at: null }

describe("what an amount of XNO is worth", () => {
  it("An amount is said in the currency of the rate, and never as nothing", () => {
    assert.strictEqual(aboutMoney("0.25", rate, at), "about $0.21")
    assert.strictEqual(aboutMoney("1234.5", rate, at), "about $1,049.33")
    assert.strictEqual(aboutMoney("0.00001", rate, at), "less than $0.01")
    assert.strictEqual(aboutMoney("10", { ...rate, currency: "JPY", perXno: 130 }, at), "about ¥1,300")
    assert.strictEqual(aboutMoney("0.001", { ...rate, currency: "JPY", perXno: 130 }, at), "less than ¥1")
  })

  it("A rate that was fetched says from when it is", () => {
    const of = (moment: string) => aboutMoney("0.25", { ...rate, at: new Date(moment) }, at)
    assert.strictEqual(of("2026-11-27T16:03:59Z"), "about $0.21 (rate of 16:03 UTC)")
    assert.strictEqual(of("2026-11-26T16:31:00Z"), "about $0.21 (rate of 16:31 UTC)")
    assert.strictEqual(of("2026-11-26T16:30:00Z"), "about $0.21 (rate of November 26, 2026)")
  })
})
