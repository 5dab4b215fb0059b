import type { Report } from "../../../schemas/engagement/reports/Report.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import type { OfAuthorRow } from "../../engagement/reports/reportsAround.sql.ts"
import { enteredText } from "../../platform/pages/entered.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { MODERATION } from "../browser/paths.ts"
import { authorPath } from "../pages/parts/people.ts"
import { counted } from "../pages/parts/values.ts"
import { respondPath } from "../respond/respondPage.ts"
import { keysNote, type ReasonButton, reasonForm, type RefusedReason, roomPage } from "./parts.ts"
import { reportedPart, type ReportedView } from "./reportedPart.ts"
import {
  accountPath,
  handledBy,
  othersPart,
  type Reading,
  reportPath,
  reportQuote,
  restrictPath,
  stateTag
} from "./reportParts.ts"

interface ReportView extends Reading {
  readonly report: Report
  /** The newest reports of the same target, with this one. */
  readonly reports: ReadonlyArray<Report>
  /** The target, as readers see it. */
  readonly thing: ReportedView
  /** Unresolved reports about the author and their other work. */
  readonly others: ReadonlyArray<OfAuthorRow>
  readonly previous: string | null
  readonly next: string | null
  readonly told: Html | null
  readonly refused: RefusedReason | null
}

/** Returns where readers see the target; null when they do not. */
const placeOf = ({ target: { author, id, kind, postId, state } }: Report): string | null => {
  if (kind === "account") return state === "public" ? authorPath(author.handle) : null
  if (state !== "public" || postId === null) return null
  return respondPath(postId, kind === "post" ? null : id)
}

/** Returns what a moderator may do about the target as it is now. */
const buttonsOf = ({ id, target: { author, kind, state } }: Report): ReadonlyArray<ReasonButton> => {
  const isThere = state === "public" || state === "not_public"
  return [
    { value: "dismiss", name: "Dismiss" },
    ...(kind === "comment" && isThere ? [{ value: "hide", name: "Hide the comment" }] : []),
    ...(kind === "post" && isThere ? [{ value: "withdraw", name: "Withdraw the post" }] : []),
    { value: "restrict", name: `Restrict @${author.handle}…`, asks: restrictPath(id) }
  ]
}

const claimForm = ({ id }: Report): Html =>
  html`<form method="post" action="${reportPath(id)}/claim">
    <button class="button quiet" type="submit">Claim it for an hour</button>
  </form>`

const CONSEQUENCES = {
  post: "A withdrawn post becomes a draft that its author can't publish. Buyers can still read it.",
  comment: "Readers can no longer see a hidden comment.",
  account: false
} as const

const consequences = ({ target: { kind } }: Report): Html =>
  html`<p class="note">
    ${CONSEQUENCES[kind]} A restricted account can only sign in and read: all its posts and comments
    disappear. Each decision closes all open reports about the same thing.
  </p>`

const canDecide = ({ claimedById, status }: Report, { ownerId }: ModeratorAuthority): boolean =>
  status === "open" || (status === "claimed" && claimedById === ownerId)

const decision = ({ moderator, refused, report }: ReportView): Html | false => {
  if (!canDecide(report, moderator))
    return (
      refused !== null &&
      enteredText([refused.text, refused.forAuthor].filter((it) => it !== "").join("\n\n"))
    )
  return html`${reasonForm({
    action: reportPath(report.id),
    id: "reason",
    fields: {},
    buttons: buttonsOf(report),
    hasKeys: true,
    refused
  })}${consequences(report)}${report.status === "open" && claimForm(report)}`
}

/** Leads to the reports before and after this one in the queue. */
const steps = ({ next, previous }: ReportView): Html =>
  html`<nav class="pager" aria-label="Reports">
    ${previous !== null && html`<a href="${reportPath(previous)}" rel="prev" data-key="k">Previous</a>`}${
      next !== null && html`<a href="${reportPath(next)}" rel="next" data-key="j">Next</a>`
    }<a href="${MODERATION}">All open reports</a>
  </nav>`

const keysOf = ({ moderator, report }: ReportView): Html =>
  html`J next, K
  previous${canDecide(report, moderator) && html`, 1 to ${buttonsOf(report).length} decide, Ctrl and Enter send the reason`}.`

/** Returns the page with one report: what readers say, what it is about as readers see it, and what a moderator may do. */
export const reportPage = (view: ReportView): Page => {
  const { now, report, reports, thing, told } = view
  const { author } = report.target
  const place = placeOf(report)
  const handled = handledBy(report, view.moderator)
  const more = reports.filter(({ id }) => id !== report.id)
  return roomPage({
    title: "Report",
    section: MODERATION,
    told,
    hasKeys: true,
    content: html`<div class="front">
        <div class="message wide">
          ${reportQuote(report, view)}${
            more.length > 0 &&
            html`<details>
              <summary>${counted(report.target.reports - 1, "other report")}</summary>
              ${more.map((it) => reportQuote(it, view))}
            </details>`
          }
          ${reportedPart(thing, stateTag(report), now)}
          <p class="note">
            <a href="${accountPath(author.id)}">The account of <bdi>@${author.handle}</bdi></a>
            ${place !== null && html`· <a href="${place}">See it in context</a>`}
          </p>
          ${othersPart(html`Other open reports about <bdi>@${author.handle}</bdi>`, view.others, now)}
        </div>
        <div class="side">
          ${handled !== false && html`<p class="state">${handled}.</p>`}${decision(view)}
        </div>
      </div>
      ${steps(view)}${keysNote(keysOf(view))}`
  })
}
