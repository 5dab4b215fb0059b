import { DateTime, Schema } from "effect"
import { EARNING_DAYS_MAX } from "../../../schemas/payments/finance/Finance.ts"
import { Day } from "../../../schemas/payments/finance/period.ts"
import { DAY_MILLIS } from "../../platform/time/now.ts"

/** Periods that end today, which an author chooses by a press. */
export const PRESETS = [
  { days: 7, name: "7 days" },
  { days: 30, name: "30 days" },
  { days: 365, name: "12 months" }
] as const
const DEFAULT_DAYS = 30

/** Whole days in UTC, with the first and the last one. */
export interface SalesPeriod {
  readonly first: string
  readonly last: string
  /** The length of a period that ends today; null for one with days of its own. */
  readonly preset: number | null
}

/** The reasons for which the days of an author were refused. */
export interface WrongDays {
  readonly from?: string
  readonly to?: string
}

const isDay = Schema.is(Day)

/** Adds days to a date. */
export const daysAfter = (day: string, days: number): string =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(day), { days }))

/** Returns the number of days of a period. */
export const lengthOf = ({ first, last }: SalesPeriod): number =>
  (Date.parse(last) - Date.parse(first)) / DAY_MILLIS + 1

const endingToday = (days: number, today: string): SalesPeriod => ({
  first: daysAfter(today, 1 - days),
  last: today,
  preset: days
})

/** Returns the period of this many days that ends today, if it is one of the presets; the usual one otherwise. */
export const presetOf = (days: string | null, today: string): SalesPeriod => {
  const preset = PRESETS.find((it) => String(it.days) === days)
  return endingToday(preset?.days ?? DEFAULT_DAYS, today)
}

/** Returns the period that an author asks for, or what is wrong with its days. No payment is of a day to come. */
export const periodOf = (query: URLSearchParams, today: string): SalesPeriod | WrongDays => {
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""]
  if (from === "" && to === "") return presetOf(query.get("days"), today)
  if (!isDay(from)) return { from: "Choose the first day, such as 2026-11-22." }
  if (to !== "" && !isDay(to)) return { to: "Choose the last day, such as 2026-11-29." }
  if (from > today) return { from: "Choose today or an earlier day." }
  const last = to === "" || to > today ? today : to
  if (from > last) return { to: "Choose the first day or a later one." }
  const period = { first: from, last, preset: null }
  return lengthOf(period) > EARNING_DAYS_MAX ? { from: `Choose at most ${EARNING_DAYS_MAX} days.` } : period
}
