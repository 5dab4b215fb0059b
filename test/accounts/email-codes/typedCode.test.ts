import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as fc from "fast-check"
import { readEmailCode, TypedEmailCode } from "../../../schemas/accounts/email-codes/TypedEmailCode.ts"
import { soak } from "../../support/soak.ts"

/** The zeros of scripts whose readers type codes. */
const ZEROS = ["0", "０", "٠", "۰", "०", "০", "๐", "០", "𝟎", "߀"].map((zero) => zero.codePointAt(0)!)

const inScript = (code: string, zero: number) =>
  [...code].map((digit) => String.fromCodePoint(zero + Number(digit))).join("")

const code = fc.integer({ min: 0, max: 999_999 }).map((number) => String(number).padStart(6, "0"))
const separator = fc.constantFrom("", " ", "-", "\u00a0", "\u2011", "\u200b", " – ", ".", "\t", "\u200f")
const words = fc.constantFrom("", " ", "Your code: ", "код ", "رمز ", "«", "\u202a", "**", "\n")

describe("a code that a person types", () => {
  it("A code is read in every script and grouping, and inside the sentence of its mail", () => {
    fc.assert(
      fc.property(
        code,
        fc.constantFrom(...ZEROS),
        separator,
        separator,
        words,
        words,
        (digits, zero, between, second, before, after) => {
          const typed = inScript(digits, zero)
          const at = [...typed]
          const grouped = [at.slice(0, 2), at.slice(2, 3), at.slice(3)].map((group) => group.join(""))
          const text = `${before}${grouped[0]}${second}${grouped[1]}${between}${grouped[2]}${after}`
          assert.strictEqual(readEmailCode(text), digits, JSON.stringify(text))
        }
      ),
      { numRuns: soak(500, 20_000) }
    )
  })

  it("A reader of codes finds nothing that was not typed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const read = readEmailCode(text)
        if (read === undefined) return
        const digits = text.normalize("NFKC").match(/\p{Nd}/gu) ?? []
        assert.match(read, /^[0-9]{6}$/)
        assert.isAtLeast(digits.length, 6)
      }),
      { numRuns: soak(100, 20_000) }
    )
  })

  it("A text with no code, a part of one, or two of them is not guessed", () => {
    for (const text of [
      "",
      "12345",
      "1234567",
      "123 45",
      "123 4567",
      "abc",
      "12a3456",
      "123456 or 654321",
      "²³",
      "½",
      "一二三四五六"
    ])
      assert.isUndefined(readEmailCode(text), text)
    for (const text of [
      "123 456",
      "123456 is your Pennypress code",
      "It expires in 10 minutes: 123456",
      "123-456, valid for 10 minutes",
      "123456 123456",
      "１２３４５６",
      "①②③④⑤⑥",
      "1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣"
    ])
      assert.strictEqual(readEmailCode(text), "123456", text)
    const decode = Schema.decodeUnknownOption(TypedEmailCode)
    assert.deepStrictEqual(decode("12 34 56"), Option.some("123456"))
    assert.isTrue(Option.isNone(decode("12 34 5")))
  })
})
