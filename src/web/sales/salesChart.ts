import { type Html, html } from "../../platform/pages/html.ts"
import { dayOf } from "../../platform/pages/language.ts"
import { xno } from "./salesAmounts.ts"
import { daysAfter, lengthOf, type SalesPeriod } from "./salesPeriod.ts"

interface DaySum {
  readonly day: string
  readonly raw: bigint
}

const HEIGHT = 100
/** The width of a day, of which the bar takes three parts of four. */
const STEP = 4

/** Returns the outline of the bar of a day. What earned anything is at least a line. */
const barOf = (index: number, raw: bigint, most: bigint): string => {
  const height = Math.max(1, Number((raw * BigInt(HEIGHT)) / most))
  return `M${index * STEP} ${HEIGHT}v-${height}h${STEP - 1}v${height}z`
}

/** A bar for each day. The table below it says the same, so it is for the eyes alone. */
export const salesChart = (period: SalesPeriod, sums: ReadonlyArray<DaySum>): Html | false => {
  const [firstSum] = sums
  if (firstSum === undefined) return false
  const best = sums.reduce((one, other) => (other.raw > one.raw ? other : one), firstSum)
  const byDay = new Map(sums.map(({ day, raw }) => [day, raw]))
  const length = lengthOf(period)
  const bars = Array.from({ length }, (_, index) => {
    const raw = byDay.get(daysAfter(period.first, index)) ?? 0n
    return raw === 0n ? "" : barOf(index, raw, best.raw)
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
    </svg>
    <p class="hint">The best day was ${dayOf(best.day, "en")}, with ${xno(String(best.raw))} XNO.</p>`
}
