import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { byteRangeOf } from "../../../src/publishing/public-images/byteRange.ts"

const part = (offset: number, length: number) => ({ offset, length })

describe("the part that a Range header asks for (RFC 9110, 14.2)", () => {
  const cases = [
    ["the first byte", "bytes=0-0", part(0, 1)],
    ["the first bytes", "bytes=0-9", part(0, 10)],
    ["the last byte", "bytes=99-99", part(99, 1)],
    ["all of it", "bytes=0-99", part(0, 100)],
    ["more than there is", "bytes=90-200", part(90, 10)],
    ["open at its end", "bytes=40-", part(40, 60)],
    ["a suffix", "bytes=-30", part(70, 30)],
    ["a suffix of one byte", "bytes=-1", part(99, 1)],
    ["a suffix that is longer than all of it", "bytes=-500", part(0, 100)],
    ["an end that no number holds", `bytes=5-${"9".repeat(400)}`, part(5, 95)],
    ["begins behind the end", "bytes=100-", null],
    ["begins and ends behind the end", "bytes=100-200", null],
    ["begins where no number reaches", `bytes=${"9".repeat(400)}-`, null],
    ["a suffix of nothing", "bytes=-0", null],
    ["no header", undefined, undefined],
    ["an empty one", "", undefined],
    ["no bounds", "bytes=-", undefined],
    ["an end before its beginning", "bytes=9-5", undefined],
    ["several parts", "bytes=0-1,5-6", undefined],
    ["another unit", "lines=0-1", undefined],
    ["a sign", "bytes=+1-5", undefined],
    ["a fraction", "bytes=1.5-5", undefined],
    ["hexadecimal", "bytes=0x1-5", undefined],
    ["words", "bytes=first-last", undefined],
    ["more behind it", "bytes=0-1;x", undefined]
  ] as const

  for (const [what, header, expected] of cases) {
    it(`A Range header is read: ${what}`, () => assert.deepStrictEqual(byteRangeOf(header, 100), expected))
  }

  it("A part lies within the resource and has a byte, with any Range header", () => {
    const bound = fc.oneof(fc.constant(""), fc.nat(300).map(String), fc.string({ maxLength: 4 }))
    fc.assert(
      fc.property(bound, bound, fc.integer({ min: 1, max: 200 }), (first, last, size) => {
        const range = byteRangeOf(`bytes=${first}-${last}`, size)
        if (range === null || range === undefined) return
        assert.isAtLeast(range.offset, 0)
        assert.isAtLeast(range.length, 1)
        assert.isAtMost(range.offset + range.length, size)
      })
    )
  })
})
