import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { CODE_POINTS_PER_CHARACTER, line, lines, visible } from "../../schemas/platform/Text.ts"
import { answerTo } from "./answerTo.ts"

type Text = Schema.Codec<string, string>

const oneLine = line(10)
const manyLines = lines(10)

const hex = (codePoint: number) => codePoint.toString(16).toUpperCase().padStart(4, "0")
const notAllowed = (codePoint: number) => `invalid: Remove U+${hex(codePoint)}: this text cannot hold it`

/** Returns true if the text is refused for this code point. */
const refuses = (schema: Text, codePoint: number, around = (it: string) => `a${it}b`) =>
  answerTo(schema, around(String.fromCodePoint(codePoint))) === notAllowed(codePoint)

const keeps = (text: string) => answerTo(line(40), text) === text && answerTo(lines(40), text) === text

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe("text that a person writes", () => {
  it("Text is saved in NFC", () => {
    for (const schema of [oneLine, manyLines]) {
      assert.strictEqual(answerTo(schema, "Ame\u0301lie"), "Am\u00e9lie")
      assert.strictEqual(answerTo(schema, "\u212b"), "\u00c5")
      assert.strictEqual(answerTo(schema, "\u1112\u1161\u11ab"), "\ud55c")
      // Width, ligatures and other compatible forms are the author's choice.
      assert.strictEqual(answerTo(schema, "Ａﬁ²"), "Ａﬁ²")
    }
  })

  it("Text in one line is trimmed of white space only", () => {
    assert.strictEqual(answerTo(oneLine, "\n\t a b \u00a0\u3000\r\n"), "a b")
    assert.isTrue(refuses(oneLine, 0xfeff, (it) => `${it}a`))
    assert.isTrue(refuses(oneLine, 0x200b, (it) => `a${it}`))
    assert.strictEqual(answerTo(manyLines, " a \n"), " a \n")
  })

  it("Text has no control characters, except for LF and TAB in text of several lines", () => {
    const controls = [...from(1, 0x1f), ...from(0x7f, 0x9f)]
    for (const control of controls) {
      assert.isTrue(refuses(oneLine, control))
      if (control !== 0x0a && control !== 0x09) assert.isTrue(refuses(manyLines, control))
    }
    assert.strictEqual(answerTo(manyLines, "a\n\tb"), "a\n\tb")
    assert.strictEqual(answerTo(manyLines, "a\r\nb"), "a\nb")
    assert.match(answerTo(manyLines, "a\rb"), /U\+000D/)
    assert.match(answerTo(oneLine, "a\0b"), /^invalid: /)
  })

  it("Text in one line has no line or paragraph separators", () => {
    for (const separator of [0x2028, 0x2029]) {
      assert.isTrue(refuses(oneLine, separator))
      const text = `a${String.fromCodePoint(separator)}b`
      assert.strictEqual(answerTo(manyLines, text), text)
    }
  })

  it("Text has no bidirectional controls, which right-to-left text does not need", () => {
    for (const control of [...from(0x202a, 0x202e), ...from(0x2066, 0x2069), 0x200e, 0x200f, 0x061c]) {
      assert.isTrue(refuses(oneLine, control))
      assert.isTrue(refuses(manyLines, control))
      assert.isTrue(refuses(manyLines, control, (it) => `ש${it}ب`))
    }
    assert.isTrue(keeps("שלום Ada سلام"))
  })

  it("Text has no noncharacters, lone surrogates or annotations", () => {
    for (const codePoint of [
      ...from(0xfdd0, 0xfdef),
      0xfffe,
      0xffff,
      0x1ffff,
      0x10fffe,
      ...from(0xfff9, 0xfffb)
    ])
      assert.isTrue(refuses(manyLines, codePoint))
    for (const text of ["\ud800", "a\udc00", "\udc00\ud800"])
      assert.match(answerTo(manyLines, text), /^invalid: Remove U\+0000 and halves/)
  })

  it("Text has no invisible characters", () => {
    const invisible = [
      0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x2064, 0x206a
    ]
    for (const codePoint of [
      ...invisible,
      0x3164,
      0xfe00,
      0xfe0f,
      0xfeff,
      0xffa0,
      0x1d173,
      0xe0001,
      0xe0041,
      0xe0100
    ])
      assert.isTrue(refuses(manyLines, codePoint))
  })

  it("The parts of emoji stay in them, and are refused elsewhere", () => {
    const emoji = ["👨‍👩‍👧‍👦", "👩🏽‍❤️‍💋‍👨🏿", "🏳️‍🌈", "🏴‍☠️", "❤️‍🔥", "☺︎", "1️⃣", "#️⃣", "🇳🇱", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🧑🏽‍🚀"]
    for (const it of emoji) assert.isTrue(keeps(it))
    assert.isTrue(refuses(oneLine, 0x200d, (it) => `👩${it}`))
    assert.isTrue(refuses(oneLine, 0x200d, (it) => `${it}👩`))
    assert.isTrue(refuses(oneLine, 0x200d, (it) => `👩${it}a`))
    assert.isTrue(refuses(oneLine, 0x200d, (it) => `👩${it}${it}👩`))
    assert.isTrue(refuses(oneLine, 0xfe0f, (it) => `1${it}`))
    assert.isTrue(refuses(oneLine, 0xfe0f, (it) => `❤${it}${it}`))
    // An unfinished flag, and tags without a flag.
    assert.isTrue(refuses(oneLine, 0xe0067, (it) => `🏴${it}`))
    assert.isTrue(refuses(oneLine, 0xe0067, (it) => `a${it}`))
  })

  it("The joiners of scripts that need them stay, and are refused elsewhere", () => {
    const needed = {
      Persian: "می\u200cخواهم",
      Hindi: "क्\u200dष",
      Marathi: "र्\u200dय",
      Malayalam: "ന്\u200d",
      Sinhala: "ශ්\u200dරී",
      Bengali: "র\u200d্যা",
      Khmer: "ភាសា\u200bខ្មែរ",
      Thai: "ภาษา\u200bไทย"
    }
    for (const text of Object.values(needed)) assert.isTrue(keeps(text.normalize("NFC")))
    for (const joiner of [0x200c, 0x200d]) {
      assert.isTrue(refuses(oneLine, joiner, (it) => `Ada${it}Lovelace`))
      assert.isTrue(refuses(oneLine, joiner, (it) => `Ад${it}а`))
      assert.isTrue(refuses(oneLine, joiner, (it) => `${it}می`))
      assert.isTrue(refuses(oneLine, joiner, (it) => `می${it}${it}می`))
      assert.isTrue(refuses(oneLine, joiner, (it) => `می ${it}`))
    }
    assert.isTrue(refuses(oneLine, 0x200b, (it) => `ไทย${it}a`))
    assert.isTrue(refuses(oneLine, 0x200b, (it) => `می${it}می`))
  })

  it("The variants of Han and Mongolian letters stay", () => {
    for (const text of ["葛\u{e0100}", "\u9f8d\ufe00", "\u182d\u180b"]) assert.isTrue(keeps(text))
    assert.isTrue(refuses(oneLine, 0xe0100, (it) => `a${it}`))
  })
})

describe("the length of text", () => {
  const kinds = {
    ASCII: "a",
    "a letter beyond the basic plane": "𝒜",
    "a letter with marks that no code point has": "q\u0323\u0307",
    "a family": "👨‍👩‍👧‍👦",
    "a flag": "🇳🇱",
    "the flag of a region": "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "a keycap": "1️⃣",
    "a syllable of Devanagari": "क्षि",
    "a syllable of Hangul": "한"
  }
  for (const [name, character] of Object.entries(kinds)) {
    it(`The length counts ${name} as one character`, () => {
      for (const schema of [oneLine, manyLines]) {
        assert.strictEqual(answerTo(schema, character.repeat(10)), character.repeat(10))
        assert.strictEqual(answerTo(schema, character.repeat(11)), "too_long: Send at most 10 characters")
      }
    })
  }

  it("The length is counted after trimming and in NFC", () => {
    assert.strictEqual(answerTo(oneLine, `${" ".repeat(200)}${"e\u0301".repeat(10)} `), "é".repeat(10))
  })

  it("The length has a bound in code points, so a tower of marks is not one character", () => {
    const max = 10 * CODE_POINTS_PER_CHARACTER
    const tower = (codePoints: number) => `q${"\u0323".repeat(codePoints - 1)}`
    for (const schema of [oneLine, manyLines]) {
      assert.strictEqual(answerTo(schema, tower(max)), tower(max))
      assert.strictEqual(
        answerTo(schema, tower(max + 1)),
        `too_long: Send at most 10 characters of at most ${max} code points`
      )
    }
  })

  it("The length of a hostile megabyte is known immediately", () => {
    for (const text of ["a\u0316\u0301", "👨‍", "\u0301", " a", "می\u200c"]) {
      const start = performance.now()
      const answer = answerTo(oneLine, `x${text.repeat(170_000)}x`)
      assert.match(answer, /^(too_long|invalid): /)
      // Sorting half a million marks would take minutes.
      assert.isBelow(performance.now() - start, 3000)
    }
  })

  it("OpenAPI states the length in code points, as JSON Schema counts", () => {
    const { schema } = Schema.toJsonSchemaDocument(manyLines)
    assert.include(JSON.stringify(schema), `"maxLength":${10 * CODE_POINTS_PER_CHARACTER}`)
    assert.notInclude(JSON.stringify(Schema.toJsonSchemaDocument(oneLine).schema), '"maxLength":10,')
  })

  it("Required text has at least one visible character", () => {
    const label = line(10).check(visible)
    for (const text of ["", "  ", "\u2800", "\u0301", "\u3000\u2800"])
      assert.strictEqual(answerTo(label, text), "too_short: Send at least one visible character")
    for (const text of ["a", "☺︎", "한", "…"]) assert.strictEqual(answerTo(label, text), text)
  })
})

describe("any text at all", () => {
  const anything = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 40 })
  )

  it("Saved text stays the same when saved again", () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(oneLine, manyLines), (text, schema) => {
        const result = Schema.decodeResult(schema)(text)
        if (Result.isFailure(result)) return
        assert.strictEqual(result.success, result.success.normalize("NFC"))
        assert.strictEqual(answerTo(schema, result.success), result.success)
      }),
      { numRuns: 2000 }
    )
  })

  it("Text is saved with every sent character, or refused", () => {
    fc.assert(
      fc.property(anything, (text) => {
        // CRLF is another spelling of LF.
        const sent = text.replaceAll("\r\n", "\n").normalize("NFC")
        const saved = Result.getOrElse(Schema.decodeResult(manyLines)(text), () => sent)
        assert.strictEqual(saved, sent)
      }),
      { numRuns: 2000 }
    )
  })
})
