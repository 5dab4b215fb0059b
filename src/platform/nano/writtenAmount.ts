import { Result } from "effect"

/** The reason for which a text is not read as one amount: it is none, or it has two readings. */
export type AmountRefusal =
  | { readonly reason: "invalid" }
  | { readonly reason: "ambiguous"; readonly readings: readonly [string, string] }

/** Longer than any amount that people write. It limits the work that a hostile text can cause. */
const CHARACTERS_MAX = 80

const DIGIT = /^\p{Nd}$/u

/** Returns the value of a decimal digit of any script. Unicode keeps the ten of a script together, in their order. */
const valueOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before++
  return String(before % 10)
}

/** Separators as other scripts write them. An apostrophe and an Arabic thousands separator only group digits. */
const SEPARATORS: Readonly<Record<string, string>> = {
  "،": ",",
  "﹐": ",",
  "､": ",",
  "٫": ".",
  "。": ".",
  "｡": ".",
  "﹒": ".",
  "٬": "'",
  "’": "'",
  "‘": "'"
}

/** The characters of ASCII in the width of Chinese and Japanese letters. */
const FULL_WIDTH = /[！-～]/gu
const FULL_WIDTH_OFFSET = 0xfe_e0

/** Returns a text in the digits and separators of ASCII, without marks of direction. Any other character stays as it is. */
const inAscii = (text: string): string =>
  text
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(FULL_WIDTH, (it) => String.fromCodePoint((it.codePointAt(0) ?? 0) - FULL_WIDTH_OFFSET))
    .replaceAll(/\p{Nd}/gu, valueOf)
    .replaceAll(/[،﹐､٫。｡﹒٬’‘]/gu, (it) => SEPARATORS[it] ?? it)
    .replaceAll(/\s/gu, " ")
    .trim()

/** The sign or the name of the currency before the number, behind it, or both. */
const CURRENCY = /^(?:(?:Ӿ|XNO|NANO) ?)?([^\p{L}]+?)(?: ?(?:Ӿ|XNO|NANO))?$/iu

/** A whole part without a group, or none, and decimals: behind a point, or behind a comma. */
const POINT = /^(0|[1-9]\d*)?(?:\.(\d+))?$/
const COMMA = /^(0|[1-9]\d*)?,(\d+)$/

/** Groups of three with one kind of separator, and decimals behind another kind. */
const GROUPED = /^([1-9]\d{0,2}(?:([,.' ])\d{3})(?:\2\d{3})*)(?:([,.])(\d+))?$/

const plain = (whole: string | undefined, decimals = ""): string => {
  const kept = decimals.replace(/0+$/, "")
  return kept === "" ? (whole ?? "0") : `${whole ?? "0"}.${kept}`
}

const readGrouped = (text: string): Result.Result<string, AmountRefusal> => {
  const [, groups = "", separator, point, decimals] = GROUPED.exec(text) ?? []
  const whole = groups.replaceAll(/\D/g, "")
  if (whole === "" || separator === point) return Result.fail({ reason: "invalid" })
  // A single comma before three digits groups them in some countries, and begins the decimals in others.
  return /^\d+,\d{3}$/.test(text)
    ? Result.fail({ reason: "ambiguous", readings: [whole, plain(...(text.split(",") as [string, string]))] })
    : Result.succeed(plain(whole, decimals))
}

/**
 * Reads an amount of XNO as people write it: with the sign or the name of the currency, in the digits of any script, with a
 * comma or a point. Returns a plain decimal without zeros at its end. Fails for a comma that has two readings, such as `1,000`.
 * A single point begins the decimals, so `1.000` is 1, and so does a comma behind a zero. Repeated or different separators group.
 */
export const readAmount = (text: string): Result.Result<string, AmountRefusal> => {
  const number = text.length > CHARACTERS_MAX ? undefined : CURRENCY.exec(inAscii(text))?.[1]
  if (number === undefined || !/\d/.test(number)) return Result.fail({ reason: "invalid" })
  const isAmbiguous = GROUPED.test(number) && COMMA.test(number)
  const [match, whole, decimals] = (isAmbiguous ? null : (POINT.exec(number) ?? COMMA.exec(number))) ?? []
  return match === undefined ? readGrouped(number) : Result.succeed(plain(whole, decimals))
}

/** Returns the reason for which a text was not read, as a sentence that says what to write. `noun` names the amount. */
export const amountSentence = (noun: string, text: string, refusal: AmountRefusal): string => {
  if (refusal.reason === "invalid") return `Write ${noun} in XNO, such as 0.25.`
  const [one, other] = refusal.readings
  return `“${text.trim()}” can mean ${one} or ${other} XNO. Write ${one} or ${other}.`
}
