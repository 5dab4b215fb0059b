import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parseLongForm } from "../../../src/platform/http/longForm.ts"

const parsed = (text: string, fieldsMax = 32) => parseLongForm(new TextEncoder().encode(text), fieldsMax)

describe("a form of megabytes", () => {
  it("What a browser encodes is read as it was written", () => {
    const field = fc.tuple(
      fc.string({ unit: "grapheme", minLength: 1 }),
      fc.string({ unit: "grapheme", maxLength: 200 })
    )
    fc.assert(
      fc.property(fc.uniqueArray(field, { selector: ([name]) => name, maxLength: 32 }), (fields) => {
        const form = parsed(new URLSearchParams(fields).toString())
        for (const [name, value] of fields) assert.strictEqual(form?.get(name), value)
      })
    )
  })

  it("A form with too many fields, or of bytes that no browser sends, is none", () => {
    assert.deepStrictEqual(
      [...(parsed("a=1+2&b=&c&d=x%3Dy", 4) ?? [])],
      [
        ["a", "1 2"],
        ["b", ""],
        ["c", ""],
        ["d", "x=y"]
      ]
    )
    assert.isUndefined(parsed("a=1&b=2&c=3&d=4&e=5", 4))
    for (const wrong of ["a=%", "a=%zz", "a=%ff", "a=%ED%A0%80", "a=é"])
      assert.isUndefined(parsed(wrong), wrong)
  })
})
