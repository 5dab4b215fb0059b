import { Effect } from "effect"
import { dayOf } from "../pages/language.ts"
import { ExchangeRate, type Rate } from "../ports/ExchangeRate.ts"
import { DAY_MILLIS, now } from "../time/now.ts"

const TENS = 10

/** Returns the time of a rate: its hour within a day, and then its day. */
const ageOf = (fetched: Date, at: Date, language: string): string => {
  const moment = fetched.toISOString()
  return at.getTime() - fetched.getTime() < DAY_MILLIS
    ? `${moment.slice(11, 16)} UTC`
    : dayOf(moment, language)
}

/** The worth of an amount of XNO in another currency, as a language writes it. No one is paid by this number. */
export interface Worth {
  /** The worth, or the smallest amount of the currency. */
  readonly money: string
  /** True for less than the smallest amount. */
  readonly isLess: boolean
  /** The time of the rate; null for a rate that the operator set. */
  readonly rateOf: string | null
}

/** Returns the worth of a decimal amount of XNO. */
export const worthOf = (
  xno: string,
  { at: fetched, currency, perXno }: Rate,
  at: Date,
  language: string
): Worth => {
  const format = new Intl.NumberFormat(language, { style: "currency", currency })
  const smallest = TENS ** -(format.resolvedOptions().maximumFractionDigits ?? 0)
  const worth = Number(xno) * perXno
  const isLess = worth < smallest
  return {
    money: format.format(isLess ? smallest : worth),
    isLess,
    rateOf: fetched === null ? null : ageOf(fetched, at, language)
  }
}

/** Returns what a decimal amount of XNO is worth in words, such as `about $0.21 (rate of 14:03 UTC)`. */
export const aboutMoney = (xno: string, rate: Rate, at: Date): string => {
  const { isLess, money, rateOf } = worthOf(xno, rate, at, "en")
  const said = isLess ? `less than ${money}` : `about ${money}`
  return rateOf === null ? said : `${said} (rate of ${rateOf})`
}

/** Returns what an amount of XNO is worth, in words; null without a rate. */
export type AboutPrice = (xno: string) => string | null

/** Makes the effect that returns how prices are explained now: by null without a rate. */
export const aboutPrices = Effect.map(ExchangeRate, ({ current }) =>
  Effect.map(
    Effect.all([current, now]),
    ([rate, at]): AboutPrice =>
      (xno) =>
        rate === undefined ? null : aboutMoney(xno, rate, at)
  )
)

/** Returns the worth of an amount of XNO as a language writes it; null without a rate. */
export type PriceWorth = (xno: string, language: string) => Worth | null

/** Makes the effect that returns how prices are explained now in the language of a page. */
export const priceWorths = Effect.map(ExchangeRate, ({ current }) =>
  Effect.map(
    Effect.all([current, now]),
    ([rate, at]): PriceWorth =>
      (xno, language) =>
        rate === undefined ? null : worthOf(xno, rate, at, language)
  )
)
