import { Schema, SchemaTransformation } from "effect"
import { EmailCode } from "./EmailCode.ts"

const DIGIT = /^\p{Nd}$/u

const isDigit = (codePoint: number) => codePoint >= 0 && DIGIT.test(String.fromCodePoint(codePoint))

/** Returns the value of a digit of any script. Unicode lists the ten digits of a script from zero to nine. */
const valueOf = (digit: string) => {
  const codePoint = digit.codePointAt(0) ?? 0
  let before = 0
  while (isDigit(codePoint - before - 1)) before++
  return String(before % 10)
}

const SIX = /(?<!\d)\d{6}(?!\d)/g
/** Digits that stand together, with up to three signs or spaces between two of them. */
const GROUPED = /\d(?:[^\p{L}\d]{0,3}\d)*/gu

/** Returns the only text among these that is a code. */
const onlyCode = (texts: ReadonlyArray<string>) => {
  const [code, ...others] = new Set(texts.filter((text) => text.length === 6))
  return others.length === 0 ? code : undefined
}

/**
 * Returns the six digits of a code that a person typed or pasted, or undefined for a text without one. The digits may be of any
 * script or width, grouped, and inside the sentence of the mail.
 */
export const readEmailCode = (text: string): EmailCode | undefined => {
  const digits = text
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}\p{M}]/gu, "")
    .replaceAll(/\p{Nd}/gu, valueOf)
  const together = digits.match(SIX) ?? []
  return together.length > 0
    ? onlyCode(together)
    : onlyCode((digits.match(GROUPED) ?? []).map((group) => group.replaceAll(/\D/g, "")))
}

/** A code as a person types it. Only the API requires exactly six digits. */
export const TypedEmailCode = Schema.String.pipe(
  Schema.decodeTo(
    EmailCode,
    SchemaTransformation.transform({
      decode: (text) => readEmailCode(text) ?? text,
      encode: (code) => code
    })
  )
)
