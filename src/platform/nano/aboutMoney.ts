import { Effect } from "effect"
import { dayOf } from "../pages/language.ts"
import { ExchangeRate, type Rate } from "../ports/ExchangeRate.ts"
import { DAY_MILLIS, now } from "../time/now.ts"

const TENS = 10

/** Returns the time of a rate: its hour within a day, and then its day. */
const ageOf = (fetched: Date, at: Date): string => {
  const moment = fetched.toISOString()
  return at.getTime() - fetched.getTime() < DAY_MILLIS ? `${moment.slice(11, 16)} UTC` : dayOf(moment, "en")
}

/** Returns what a decimal amount of XNO is worth, such as `about $0.21 (rate of 14:03 UTC)`. No one is paid by this number. */
export const aboutMoney = (xno: string, { at: fetched, currency, perXno }: Rate, at: Date): string => {
  const format = new Intl.NumberFormat("en", { style: "currency", currency })
  const smallest = TENS ** -(format.resolvedOptions().maximumFractionDigits ?? 0)
  const worth = Number(xno) * perXno
  const said = worth < smallest ? `less than ${format.format(smallest)}` : `about ${format.format(worth)}`
  return fetched === null ? said : `${said} (rate of ${ageOf(fetched, at)})`
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
