import { type Html, html } from "../../platform/pages/html.ts"
import { dayOf } from "../../platform/pages/language.ts"
import { xno } from "./salesAmounts.ts"
import { daysAfter, lengthOf, type SalesPeriod } from "./salesPeriod.ts"

/** A day with its number, such as an amount in raw. */
export interface DayNumber {
  readonly day: string
  readonly number: bigint
}

const HEIGHT = 100
/** The width of a day. The bar takes three quarters of it. */
const STEP = 4

/** Returns the outline of the bar of a day. What is more than nothing is at least a line. */
const barOf = (index: number, number: bigint, most: bigint): string => {
  const height = Math.max(1, Number((number * BigInt(HEIGHT)) / most))
  return `M${index * STEP} ${HEIGHT}v-${height}h${STEP - 1}v${height}z`
}

/** Returns the day with the largest number, and of those the first in the list. */
const bestOf = (days: ReadonlyArray<DayNumber>): DayNumber | undefined =>
  days.reduce<DayNumber | undefined>(
    (best, it) => (best === undefined || it.number > best.number ? it : best),
    undefined
  )

/** A bar for each day. The table below it says the same, so it is for the eyes alone. */
export const dayChart = (period: SalesPeriod, days: ReadonlyArray<DayNumber>): Html | false => {
  const best = bestOf(days)
  if (best === undefined) return false
  const byDay = new Map(days.map(({ day, number }) => [day, number]))
  const length = lengthOf(period)
  const bars = Array.from({ length }, (_, index) => {
    const number = byDay.get(daysAfter(period.first, index)) ?? 0n
    return number === 0n ? "" : barOf(index, number, best.number)
  })
  return html`<svg
    class="chart"
    viewBox="0 0 ${length * STEP} ${HEIGHT}"
    width="100%"
    height="120"
    preserveAspectRatio="none"
    fill="currentColor"
    aria-hidden="true"
    focusable="false"
  >
    <path d="${bars.join("")}" />
  </svg>`
}

/** The sums of days as a chart, with the best one in words. */
export const salesChart = (period: SalesPeriod, sums: ReadonlyArray<DayNumber>): Html | false => {
  const best = bestOf(sums)
  return (
    best !== undefined &&
    html`${dayChart(period, sums)}
      <p class="hint">The best day was ${dayOf(best.day, "en")}, with ${xno(String(best.number))} XNO.</p>`
  )
}
