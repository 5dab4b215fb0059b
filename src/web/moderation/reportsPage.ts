import type { Report, ReportStatus } from "../../../schemas/engagement/reports/Report.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { MODERATION } from "../browser/paths.ts"
import { pager } from "../pages/parts/pager.ts"
import { counted } from "../pages/parts/values.ts"
import { keysNote, roomPage } from "./parts.ts"
import { type Reading, reportPath, reportQuote, stateTag, targetName } from "./reportParts.ts"

interface ReportsView extends Reading {
  /** The last decision of the moderator. */
  readonly told: Html | null
  readonly status: ReportStatus
  readonly reports: ReadonlyArray<Report>
  /** The cursor behind which the page begins, and that of the next page. */
  readonly after: string | null
  readonly next: string | null
}

const STATUSES = [
  { status: "open", name: "Open" },
  { status: "claimed", name: "Claimed" },
  { status: "resolved", name: "Resolved" }
] as const

/** Characters of a text that the list shows. */
const EXCERPT = 400

/** Returns the path of a list of reports. */
const reportsPath = (status: ReportStatus, after: string | null = null): string => {
  const query = new URLSearchParams({
    ...(status === "open" ? {} : { status }),
    ...(after === null ? {} : { after })
  }).toString()
  return query === "" ? MODERATION : `${MODERATION}?${query}`
}

const filters = (chosen: ReportStatus): Html =>
  html`<nav aria-label="Status">
    <ul class="chips">
      ${STATUSES.map(({ name, status }) => html`<li>${status === chosen ? html`<a href="${reportsPath(status)}" aria-current="page">${name}</a>` : html`<a href="${reportsPath(status)}">${name}</a>`}</li>`)}
    </ul>
  </nav>`

/** Returns the beginning of a text; the title and the description of a post. */
const excerptOf = ({ target: { kind, text } }: Report): string => {
  const beginning = kind === "post" ? text.split("\n\n", 2).join("\n") : text
  return beginning.length > EXCERPT ? `${beginning.slice(0, EXCERPT).toWellFormed()}…` : beginning
}

/** Groups the reports of a page by what they are about, so that a text appears once. */
const byTarget = (reports: ReadonlyArray<Report>): ReadonlyArray<readonly [Report, ...Array<Report>]> => {
  const groups = new Map<string, [Report, ...Array<Report>]>()
  for (const report of reports) {
    const group = groups.get(report.target.id)
    if (group === undefined) groups.set(report.target.id, [report])
    else group.push(report)
  }
  return [...groups.values()]
}

const item = (reports: readonly [Report, ...Array<Report>], reading: Reading): Html => {
  const [first] = reports
  return html`<li>
    <article class="message wide">
      ${reports.map((report) => reportQuote(report, reading))}
      <h2 class="by">
        <a href="${reportPath(first.id)}" data-item>${targetName(first)}</a>${stateTag(first)}<span
          >${counted(first.target.reports, "report")}</span
        >
      </h2>
      <p class="said" dir="auto">${excerptOf(first)}</p>
    </article>
  </li>`
}

const nothing: Readonly<Record<ReportStatus, string>> = {
  open: "No reports are waiting for a decision.",
  claimed: "No moderator has claimed a report.",
  resolved: "No report has been resolved yet."
}

/** Returns the list of reports of one status, oldest first. */
export const reportsPage = (view: ReportsView): Page => {
  const { after, next, reports, status, told } = view
  return roomPage({
    title: "Reports",
    section: MODERATION,
    told,
    hasKeys: reports.length > 0,
    content: html`${filters(status)}${
      reports.length === 0
        ? html`<p class="lede">${after === null ? nothing[status] : "There are no more reports."}</p>`
        : html`<ol class="thread">
            ${byTarget(reports).map((group) => item(group, view))}
          </ol>`
    }${reports.length > 0 && keysNote(html`J and K move, and Enter opens.`)}${pager(next === null ? null : reportsPath(status, next), after === null ? null : reportsPath(status))}`
  })
}
