import { assert, describe, it } from "@effect/vitest"
import { shownXno } from "../../../src/platform/nano/shownXno.ts"

describe("an amount that people read", () => {
  it("An amount is cut and not rounded, and has no zeros at its end", () => {
    const shown: ReadonlyArray<readonly [xno: string, six: string, four: string]> = [
      ["0.25", "0.25", "0.25"],
      ["0.250000000000000000000000123456", "0.25", "0.25"],
      ["1.999999999999999999999999999999", "1.999999", "1.9999"],
      ["12", "12", "12"],
      ["12.000000000000000000000000000001", "12", "12"],
      ["0.100000000001", "0.1", "0.1"],
      ["0.00001", "0.00001", "<0.0001"],
      ["0.000000000000000000000000000001", "<0.000001", "<0.0001"],
      ["0", "0", "0"],
      ["133248297.123456789", "133248297.123456", "133248297.1234"]
    ]
    for (const [xno, six, four] of shown)
      assert.deepStrictEqual([shownXno(xno), shownXno(xno, 4)], [six, four])
  })
})
