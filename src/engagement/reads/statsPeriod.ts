import { DateTime } from "effect"
import { STATS_DAYS_DEFAULT, STATS_DAYS_MAX } from "../../../schemas/engagement/reads/ReadStats.ts"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { DAY_MILLIS } from "../../platform/time/now.ts"

/** Whole days in UTC, with the first and the last one. */
export interface StatsPeriod {
  readonly from: string
  readonly to: string
  /** Days before this one are kept as months. */
  readonly monthlyBefore: string
}

const plus = (day: string, parts: { readonly days?: number; readonly months?: number }) =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(day), parts))

const firstOfMonth = (day: string) => `${day.slice(0, 7)}-01`

/** Returns the first day that is kept as a day: that of the month a year ago. */
export const monthlyBefore = (today: string): string => firstOfMonth(plus(today, { months: -12 }))

const wrong = (field: "from" | "to", message: string) =>
  new Validation({ errors: [{ field, code: "invalid", message }] })

/** Returns the period of a query. A month that is kept as one belongs to it as a whole. */
export const statsPeriodOf = (
  asked: { readonly from?: string; readonly to?: string },
  today: string
): StatsPeriod | Validation => {
  const before = monthlyBefore(today)
  const to = asked.to ?? today
  const from = asked.from ?? plus(to, { days: 1 - STATS_DAYS_DEFAULT })
  if (from > to) return wrong("to", "Send a day that is not before `from`")
  if ((Date.parse(to) - Date.parse(from)) / DAY_MILLIS >= STATS_DAYS_MAX)
    return wrong("from", `Send a period of at most ${STATS_DAYS_MAX} days`)
  return {
    from: from < before ? firstOfMonth(from) : from,
    to: to < before ? plus(firstOfMonth(to), { months: 1, days: -1 }) : to,
    monthlyBefore: before
  }
}
