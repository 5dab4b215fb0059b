/** Longer than any amount within its bounds needs to be. It bounds the work of a comparison. */
const AMOUNT_TEXT_MAX = 32

const DECIMAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** One text for every way to write the same decimal: `0.250`, `25e-2` and `0.25` are `25e-2`. */
const decimalOf = (text: string) => {
  const [, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "")
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** A body in which each number is replaced by its text. */
const withNumberTexts = (json: string) =>
  JSON.parse(json, ((_member: string, value: unknown, context: { readonly source: string }) =>
    typeof value === "number" ? context.source : value) as (member: string, value: unknown) => unknown) as {
    readonly tipping?: { readonly amounts?: ReadonlyArray<string> }
  }

/**
 * Returns true when an amount is the decimal that a text has, and not the nearest number that a double holds (spec 4.2.6).
 */
export const isWrittenAs = (amount: number, text: string): boolean =>
  text.length <= AMOUNT_TEXT_MAX && decimalOf(text) === decimalOf(String(amount))

/**
 * Returns true when the amounts that were read from a PATCH are the decimals that its JSON has, and not the nearest numbers that a
 * double holds: `0.0009999999999999999999` reads as 0.001 and is less (spec 4.2.6).
 */
export const areWrittenAs = (amounts: ReadonlyArray<number>, json: string): boolean => {
  const texts = withNumberTexts(json).tipping?.amounts ?? []
  return amounts.every((amount, at) => isWrittenAs(amount, texts[at] ?? ""))
}
