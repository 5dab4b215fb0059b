import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Cleaner, partOf } from "../../../src/mcp/tools/untrusted.ts"
import { soak } from "../../support/soak.ts"

const cleaned = (text: string) => {
  const cleaner = new Cleaner()
  return [cleaner.text(text), cleaner.removed] as const
}

const SCOTLAND = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"

/** Any character, and often one that matters. */
const character = fc.oneof(
  fc.constantFrom(
    "a",
    " ",
    "\n",
    "\0",
    "é",
    "❤",
    "\uFE0F",
    "\u202E",
    "\uFEFF",
    "\u{1F3F4}",
    "\u{E0067}",
    "\u{E007F}"
  ),
  fc.integer({ min: 0, max: 0x10_f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))
)

describe("text of strangers", () => {
  it("Text of strangers loses what a person does not see", () => {
    for (const [text, kept, removed] of [
      ["a\tb\nc", "a\tb\nc", 0],
      ["a\0b\x1b[31mc\x7f\x9b\r", "ab[31mc", 5],
      ["\u202Eevil\u202C \u2066x\u2069", "evil x", 4],
      ["\uFEFFa\u2060b\u2064", "ab", 3],
      ["a\u{E0041}\u{E0042}b", "ab", 2],
      [SCOTLAND, SCOTLAND, 0],
      [`${SCOTLAND}\u{E0041}`, SCOTLAND, 1],
      ["\u{1F3F4}\u{E0041}\u{E0042}", "\u{1F3F4}", 2],
      ["❤\uFE0F", "❤\uFE0F", 0],
      ["❤\uFE0F\uFE0E\u{E0100}", "❤\uFE0F", 2],
      ["\uFE0Fa \uFE0Fb\n\u{E0101}c", "a b\nc", 3],
      ["\u200D\u200Bé—日本", "\u200D\u200Bé—日本", 0]
    ] as const) {
      assert.deepStrictEqual(cleaned(text), [kept, removed], JSON.stringify(text))
    }
  })

  it("Text of strangers is otherwise unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), (text) => {
        const [kept, removed] = cleaned(text)
        assert.strictEqual([...kept].length + removed, [...text].length)
        assert.deepStrictEqual(cleaned(kept), [kept, 0])
      }),
      { numRuns: soak(200, 5_000, 50_000) }
    )
  })

  it("Text of strangers comes in parts that make the whole, each within its bytes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: character, maxLength: 300 }),
        fc.integer({ min: 4, max: 40 }),
        (text, max) => {
          let offset: number | null = 0
          let whole = ""
          while (offset !== null) {
            const part = partOf(text, offset, max)
            assert.isAtMost(Buffer.byteLength(part.text), max)
            assert.strictEqual(part.totalCharacters, [...text].length)
            whole += part.text
            offset = part.nextOffset
          }
          assert.strictEqual(whole, text)
        }
      ),
      { numRuns: soak(100, 2_000, 20_000) }
    )
    assert.deepStrictEqual(partOf("abc", 7, 10), { text: "", nextOffset: null, totalCharacters: 3 })
  })

  it("Text of strangers is read in time linear to its length", () => {
    const [kept, removed] = cleaned("\uFE0F\u{E0041}❤".repeat(60_000))
    assert.deepStrictEqual([kept.length, removed], [119_999, 60_001])
  })
})
