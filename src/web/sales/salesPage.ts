import type { EarningsOfDay, FinanceSummary } from "../../../schemas/payments/finance/Finance.ts"
import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { dayOf } from "../../platform/pages/language.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK } from "../browser/paths.ts"
import { counted } from "../pages/parts/values.ts"
import { dayTable } from "./dayTable.ts"
import { earnedRaw, xno, xnoAbout } from "./salesAmounts.ts"
import { salesChart } from "./salesChart.ts"
import { PRESETS, type SalesPeriod, type WrongDays } from "./salesPeriod.ts"
import { salesWords } from "./salesWords.ts"

/** The path of the page with what an author earned. */
export const salesPath = `${DESK}/sales` as const

export interface SalesView {
  readonly period: SalesPeriod
  readonly summary: FinanceSummary
  readonly days: ReadonlyArray<EarningsOfDay>
  /** Says what an amount is worth now. */
  readonly about: AboutPrice
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

/** Returns the parameters that name a period. */
const parametersOf = ({ first, last, preset }: SalesPeriod): Record<string, string> =>
  preset === null ? { from: first, to: last } : { days: String(preset) }

const targetOf = (period: SalesPeriod): string => `${salesPath}?${new URLSearchParams(parametersOf(period))}`

const chip = (path: string, name: string, isCurrent: boolean): Html =>
  html`<li>
    ${isCurrent ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}
  </li>`

const dayField = (name: "from" | "to", label: string, value: string, wrong: string | undefined): Html =>
  field({
    name,
    label,
    hint: "A day in UTC.",
    wrong,
    control: ({ by, isInvalid }) =>
      html`<input
        id="${name}"
        name="${name}"
        type="date"
        value="${value}"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  })

/** The choice of a period by its days. */
const dayForm = (period: SalesPeriod | null, wrong: WrongDays): Html => {
  const content = html`<summary>Choose other days</summary>
    <form class="fields" method="get" action="${salesPath}">
      ${dayField("from", "First day", period?.first ?? "", wrong.from)}${dayField(
        "to",
        "Last day",
        period?.last ?? "",
        wrong.to
      )}<button class="button quiet" type="submit">Show these days</button>
    </form>`
  return (period?.preset ?? null) === null
    ? html`<details open>${content}</details>`
    : html`<details>${content}</details>`
}

const picker = (period: SalesPeriod | null, wrong: WrongDays): Html =>
  html`<nav aria-label="Period">
      <ul class="chips">
        ${PRESETS.map(({ days, name }) =>
          chip(
            targetOf({ first: "", last: "", preset: days }),
            name,
            period !== null && period.preset === days
          )
        )}
      </ul>
    </nav>
    ${dayForm(period, wrong)}`

const total = (name: string, amount: Html): Html =>
  html`<li><span>${name}</span> <span class="size">${amount}</span></li>`

const totals = ({ about, period: { first, last }, summary }: SalesView): Html => {
  const { sales, tips } = summary
  return html`<section class="files" aria-labelledby="sums">
    <h2 class="label" id="sums">
      ${first === last ? dayOf(first, "en") : `${dayOf(first, "en")} to ${dayOf(last, "en")}`}
    </h2>
    <ul>
      ${total(counted(sales.count, "sale"), html`${xno(sales.grossRaw)} XNO`)}${total(counted(tips.count, "tip"), html`${xno(tips.grossRaw)} XNO`)}${total(
        "Together",
        xnoAbout(earnedRaw(summary), about)
      )}
    </ul>
    ${salesWords(summary)}
  </section>`
}

const dayRow = (it: EarningsOfDay): Html =>
  html`<tr>
    <th scope="row">${dayOf(it.day, "en")}</th>
    <td class="a-right">${it.sales.count.toLocaleString("en")}</td>
    <td class="a-right">${it.tips.count.toLocaleString("en")}</td>
    <td class="a-right">${xno(earnedRaw(it))}</td>
  </tr>`

const byDay = (period: SalesPeriod, days: ReadonlyArray<EarningsOfDay>): Html => {
  const sums = days.map((it) => ({ day: it.day, number: BigInt(earnedRaw(it)) }))
  return html`${salesChart(period, sums)}${dayTable({
    label: "Sales by day",
    heads: ["Sales", "Tips", "XNO"],
    rows: days.map(dayRow),
    kind: "a payment"
  })}`
}

const file = (kind: string, name: string, { first, last }: SalesPeriod): Html => {
  const parameters = new URLSearchParams({ kind, from: first, to: last }).toString()
  return html`<a href="${salesPath}.csv?${parameters}" download>${name}</a>`
}

const files = (period: SalesPeriod): Html =>
  html`<p class="note">
    Download all payments from these days as a CSV file: ${file("all", "sales and tips", period)},
    ${file("sales", "only sales", period)} or ${file("tips", "only tips", period)}.
  </p>`

/** Returns the page with what an author earned in a period. */
export const salesPage = (view: SalesView): Page => {
  const { days, period } = view
  return formPage({
    title: "Your sales",
    isWide: true,
    content: html`${deskMenu(salesPath, view.isModerator)}${picker(period, {})}${totals(view)}
      <nav aria-label="List">
        <ul class="chips">
          ${chip(targetOf(period), "By day", true)}${chip(`${DESK}/posts?sort=income`, "By post", false)}
        </ul>
      </nav>
      ${days.length === 0 ? html`<p class="lede">There were no payments on these days.</p>` : byDay(period, days)}${files(period)}
      <p class="note">
        Days begin at midnight in UTC. Amounts here are cut off after six decimals; the files have all of
        them.
      </p>`
  })
}

/** Returns the page that asks for other days, with the reason. */
export const wrongDaysPage = (wrong: WrongDays, isModerator: boolean): Page =>
  formPage({
    title: "Your sales",
    isWide: true,
    content: html`${deskMenu(salesPath, isModerator)}${picker(null, wrong)}`
  })
