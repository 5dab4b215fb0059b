import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { movedPlace, outside, scaledSize } from "../../../../src/platform/pages/assets/places.js"

describe("the places of pictures", () => {
  it("A place stays at its words while the author types elsewhere", () => {
    const words = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(words, words, words, words, (a, b, c, typed) => {
        // The sign at the place occurs nowhere else.
        const [left, right] = [`x${a}${b}`, c].map((it) => it.replaceAll("¶", "x"))
        const place = (left ?? "").length
        for (const after of [`${typed.replaceAll("¶", "x")}${left}¶${right}`, `${left}¶${right}${typed}`])
          assert.strictEqual(movedPlace(`${left}¶${right}`, after, place), after.indexOf("¶"))
      })
    )
  })

  it("A place within words that are deleted goes to where they were", () => {
    assert.strictEqual(movedPlace("one two three", "one three", 6), 3)
    assert.strictEqual(movedPlace("one", "", 2), 0)
  })

  it("What is typed at a place stands after it", () => {
    assert.strictEqual(movedPlace("ab", "axb", 1), 1)
  })

  it("A place is never within a picture or a link", () => {
    const text = "a ![](one.png) [b](c.html) [d]"
    const places = [0, 2, 4, 8, 14, 16, 20, 28]
    assert.deepStrictEqual(
      places.map((place) => outside(text, place)),
      [0, 2, 14, 14, 14, 26, 26, 28]
    )
  })

  it("A picture that is too large keeps its proportions", () => {
    assert.deepStrictEqual(scaledSize(8000, 6000, 0), { width: 4096, height: 3072 })
    assert.deepStrictEqual(scaledSize(3000, 2000, 1), { width: 2100, height: 1400 })
    assert.deepStrictEqual(scaledSize(100_000, 1, 0), { width: 4096, height: 1 })
  })
})
