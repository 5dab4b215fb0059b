import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { parsePriceXno } from "../../../schemas/platform/Nano.ts"
import { amountSentence, readAmount } from "../../../src/platform/nano/writtenAmount.ts"
import { soak } from "../../support/soak.ts"

/** Returns what a text is read as, or the reason for which it is not. */
const reading = (text: string) =>
  Result.match(readAmount(text), {
    onFailure: (refusal) => amountSentence("the price", text, refusal),
    onSuccess: (xno) => xno
  })

const INVALID = "Write the price in XNO, such as 0.25."

/** Every decimal digit of Unicode, with its value by the names of the scripts of `Intl`. */
const systems = Intl.supportedValuesOf("numberingSystem")
  .map((system) => new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false }).format(9_876_543_210))
  .map((digits) => [...digits].toReversed())
  .filter((digits) => digits.length === 10 && digits.every((it) => /^\p{Nd}$/u.test(it)))

const locales = [
  "en",
  "de",
  "de-CH",
  "fr",
  "pt-BR",
  "sv",
  "ar-EG",
  "fa",
  "hi",
  "bn",
  "mr",
  "my",
  "ja",
  "en-IN"
]

describe("an amount that a person writes", () => {
  it("An amount is read with the sign or the name of the currency, and with a comma or a point", () => {
    for (const [text, xno] of [
      ["0.25", "0.25"],
      ["0,25", "0.25"],
      ["Ӿ0.25", "0.25"],
      ["ӿ 0,25", "0.25"],
      ["0.25 XNO", "0.25"],
      ["0.25xno", "0.25"],
      ["XNO 0.25", "0.25"],
      ["0.25 nano", "0.25"],
      [" 0.25 \u200F", "0.25"],
      [".5", "0.5"],
      [",5", "0.5"],
      ["٠٫٢٥", "0.25"],
      ["０．２５", "0.25"],
      ["０。２５", "0.25"],
      ["ＸＮＯ　０，２５", "0.25"],
      ["0,001", "0.001"],
      ["0,250", "0.25"],
      [",500", "0.5"],
      ["1.000", "1"],
      ["2.500", "2.5"],
      ["1234,567", "1234.567"],
      ["1,0000", "1"],
      ["1,00", "1"],
      ["1,000.5", "1000.5"],
      ["1.000,5", "1000.5"],
      ["1,000,000", "1000000"],
      ["1.000.000", "1000000"],
      ["1 000", "1000"],
      ["1\u202F234,5", "1234.5"],
      ["1'234.5", "1234.5"],
      ["1’234.5", "1234.5"],
      ["١٬٢٣٤٫٥", "1234.5"],
      ["0", "0"]
    ] as const)
      assert.strictEqual(reading(text), xno, text)
  })

  it("A comma before exactly three digits is refused, with both readings", () => {
    assert.strictEqual(reading("1,000"), "“1,000” can mean 1000 or 1 XNO. Write 1000 or 1.")
    assert.strictEqual(reading(" 2,500"), "“2,500” can mean 2500 or 2.5 XNO. Write 2500 or 2.5.")
    for (const text of ["12,345 XNO", "Ӿ999,999", "１，０００", "١،٠٠٠"])
      assert.include(reading(text), "can mean", text)
  })

  it("Signs, exponents, fractions, other currencies and other texts are refused", () => {
    const texts = [
      [
        "+",
        "-",
        ".",
        ",",
        "Ӿ",
        "½",
        "²",
        "①",
        "〇",
        "Ⅷ",
        "",
        "-1",
        "+1",
        "−1",
        "1-",
        "1e3",
        "1E-3",
        "1/2",
        "1⁄2",
        "1²"
      ],
      [
        "1½",
        "0x10",
        "∞",
        "NaN",
        "free",
        "$1",
        "1 USD",
        "€0,25",
        "0.25 raw",
        "1 nanos",
        "XNOXNO1",
        "XNO",
        "1 XNO XNO"
      ],
      [
        "1 2",
        "0.25 0.25",
        "01",
        "00.5",
        "1.",
        "1,",
        "1,2,3",
        "1.2.3",
        "1,23,456",
        "1,000,00",
        "1.000.00",
        "1,2345,678"
      ],
      ["0,000,001", "1,234.567,8", "1,234,567,89", "1. 000", "1 000 00", "1..5", "1,,5", "1.,5", "0、25"],
      [`0.${"1".repeat(100)}`]
    ]
    for (const text of texts.flat()) assert.strictEqual(reading(text), INVALID, JSON.stringify(text))
  })

  it("A digit of any script has its value", () => {
    assert.isAbove(systems.length, 40)
    for (const digits of systems)
      for (const [value, digit] of digits.entries())
        assert.strictEqual(reading(`1${digit}`), `1${value}`, digit)
    for (let code = 0; code <= 0x10_ff_ff; code++) {
      const character = String.fromCodePoint(code)
      if (!/^[\p{N}\p{Sc}\p{Cf}\p{Z}]$/u.test(character)) continue
      assert.strictEqual(
        Result.isSuccess(readAmount(`${character}.5`)),
        /^[\p{Nd}\p{Cf}\s]$/u.test(character),
        character
      )
    }
  })

  it("An amount that any country formats is read as it is, or refused as ambiguous", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9_999_999_999 }),
        fc.constantFrom(...locales),
        fc.boolean(),
        fc.integer({ min: 0, max: 6 }),
        (steps, locale, useGrouping, minimumFractionDigits) => {
          const amount = steps / 1_000_000
          const options = { useGrouping, minimumFractionDigits, maximumFractionDigits: 6 }
          const text = new Intl.NumberFormat(locale, options).format(amount)
          // A single point begins the decimals, also in countries where it groups.
          if (/^[1-9]\d{0,2}\.\d{3}$/.test(text)) return
          const read = readAmount(text)
          if (Result.isSuccess(read)) assert.strictEqual(Number(read.success), amount, text)
          else assert.strictEqual(read.failure.reason, "ambiguous", text)
        }
      ),
      { numRuns: soak(2_000, 50_000) }
    )
  })

  it("A plain decimal of the API is the same amount", () => {
    const plain = fc.stringMatching(/^(0|[1-9]\d{0,4})(\.\d{1,8})?$/)
    fc.assert(
      fc.property(plain, (text) => {
        const read = Result.getOrThrow(readAmount(text))
        assert.deepStrictEqual(parsePriceXno(read), parsePriceXno(text))
        assert.strictEqual(reading(read), read)
      }),
      { numRuns: soak(1_000, 50_000) }
    )
  })

  it("Any text is read as a plain decimal, or refused", () => {
    const written = fc.string({ unit: fc.constantFrom(..."0123456789.,'’ ٠٢٫٬０．，XNOӾe+-"), maxLength: 20 })
    fc.assert(
      fc.property(fc.oneof(written, fc.string({ unit: "binary" })), (text) => {
        const read = readAmount(text)
        if (Result.isSuccess(read)) assert.match(read.success, /^(0|[1-9]\d*)(\.\d*[1-9])?$/)
        else assert.notStrictEqual(amountSentence("the price", text, read.failure), "")
      }),
      { numRuns: soak(1_000, 100_000) }
    )
  })
})
