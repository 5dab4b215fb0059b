import type { DayStats } from "../../../schemas/engagement/reads/ReadStats.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { Funnel, PostReads } from "../../engagement/reads/ReadStats.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { dayOf } from "../../platform/pages/language.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK } from "../browser/paths.ts"
import { counted, titleText } from "../pages/parts/values.ts"
import { dayTable } from "../sales/dayTable.ts"
import { dayChart } from "../sales/salesChart.ts"
import { PRESETS, type SalesPeriod } from "../sales/salesPeriod.ts"
import { writePath } from "../write/writePage.ts"

/** Returns the path of the page with the reads of a post. */
export const readsPath = (id: PostId): string => `${DESK}/posts/${id}`

export interface ReadsView {
  readonly id: PostId
  readonly period: SalesPeriod
  readonly reads: PostReads
  /** The days with a read or a sale, newest first. */
  readonly days: ReadonlyArray<DayStats>
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

const presets = ({ id, period }: ReadsView): Html =>
  html`<nav aria-label="Period">
    <ul class="chips">
      ${PRESETS.map(({ days, name }) => {
        const path = `${readsPath(id)}?days=${days}`
        return html`<li>
          ${days === period.preset ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}
        </li>`
      })}
    </ul>
  </nav>`

const times = (count: number): string => counted(count, "time")

const number = (count: number): Html => html`<td class="a-right">${count.toLocaleString("en")}</td>`

const STEPS: ReadonlyArray<readonly [name: string, step: keyof Funnel]> = [
  ["Read it", "reads"],
  ["Saw the price", "walls"],
  ["Began to pay", "checkouts"],
  ["Bought it", "sales"]
]

/** The way from the first look to the sale, people and agents apart. */
const funnel = ({ agents, people }: PostReads): Html =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Times</th>
        <th scope="col" class="a-right">People</th>
        <th scope="col" class="a-right">Agents</th>
      </tr>
    </thead>
    <tbody>
      ${STEPS.map(
        ([name, step]) =>
          html`<tr>
            <th scope="row">${name}</th>
            ${number(people[step])}${number(agents[step])}
          </tr>`
      )}
    </tbody>
  </table>`

const dayRow = ({ day, reads, sales, visitors }: DayStats): Html =>
  html`<tr>
    <th scope="row">${dayOf(day, "en")}</th>
    ${number(reads.people)}${number(reads.agents)}${number(visitors)}${number(sales)}
  </tr>`

const byDay = ({ days, period }: ReadsView): Html => {
  const numbers = days.map(({ day, reads }) => ({ day, number: BigInt(reads.people + reads.agents) }))
  return html`${numbers.some((it) => it.number > 0n) && dayChart(period, numbers)}${dayTable({
    label: "Reads by day",
    heads: ["People", "Agents", "Visitors", "Sales"],
    rows: days.map(dayRow),
    kind: "a read or a sale"
  })}`
}

const sources = ({ sources: all }: PostReads): Html | false =>
  all.length > 0 &&
  html`<section class="files" aria-labelledby="sources">
    <h2 class="label" id="sources">Where readers came from</h2>
    <ul>
      ${all.map(
        ({ count, host }) =>
          html`<li>
            <span>${host === "other" ? "Other sites" : host}</span>
            <span class="size">${count.toLocaleString("en")}</span>
          </li>`
      )}
    </ul>
  </section>`

/** Returns the page with the reads of a post in a period. */
export const readsPage = (view: ReadsView): Page => {
  const { days, id, isModerator, reads } = view
  const title = titleText(reads.title)
  return formPage({
    title: `Reads of ${title}`,
    kicker: "Reads",
    isWide: true,
    heading: html`<bdi>${title}</bdi>`,
    content: html`${deskMenu(`${DESK}/posts`, isModerator)}${presets(view)}${
        days.length === 0
          ? html`<p class="lede">There were no reads on these days.</p>`
          : html`<p>
                ${counted(reads.visitors, "visitor")}. Feed readers got it ${times(reads.feeds)}, and crawlers
                ${times(reads.crawlers)}.
              </p>
              ${funnel(reads)}${byDay(view)}${sources(reads)}`
      }
      <p class="note">
        We count without cookies and store no address. Your own reads don't count while you're signed in. Days
        begin at midnight in UTC, and a visitor who comes back on another day counts again.
      </p>
      <p class="note">
        <a href="${writePath(id)}">Edit this post</a> · <a href="${DESK}/posts">All your posts</a>
      </p>`
  })
}
