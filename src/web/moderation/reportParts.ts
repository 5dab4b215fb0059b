import type { Report } from "../../../schemas/engagement/reports/Report.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import type { OfAuthorRow } from "../../engagement/reports/reportsAround.sql.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { contactUrlOf } from "../../platform/ports/operatorContact.ts"
import { MODERATION } from "../browser/paths.ts"
import { since } from "../pages/parts/since.ts"
import { counted } from "../pages/parts/values.ts"
import { ACCOUNTS } from "./parts.ts"
import { minute, whoDid } from "./words.ts"

/** Returns the path of the page with one report and its target. */
export const reportPath = (id: string): string => `${MODERATION}/reports/${id}`

/** Returns the path of the page with an account. */
export const accountPath = (id: string): string => `${ACCOUNTS}?id=${id}`

const states: Readonly<Record<Report["target"]["state"], string>> = {
  public: "Public",
  not_public: "Not public",
  withdrawn: "Withdrawn",
  hidden: "Hidden",
  deleted: "Deleted",
  gone: "Removed"
}

/** Returns the path of the form that asks once more before it restricts the author of the target. */
export const restrictPath = (id: string): string => `${reportPath(id)}/restrict`

/** Returns the present state of the target. */
export const stateTag = ({ target: { state } }: Report): Html =>
  html`<span class="tag">${states[state]}</span>`

/** The moderator who reads a page, and the time. */
export interface Reading {
  readonly moderator: ModeratorAuthority
  readonly now: Date
}

const TARGETS = { post: "Post by", comment: "Comment by", account: "The account" } as const

/** Names the target of a report, with its author. */
export const targetName = ({ target: { author, kind } }: Report): Html =>
  html`${TARGETS[kind]} <bdi>@${author.handle}</bdi>`

/** Names the reader who reports: an account, or the address that a stranger left, which may be anyone's. */
const reporterName = ({ replyTo, reporter }: Report): Html =>
  reporter !== null
    ? html`<bdi>@${reporter.handle}</bdi>`
    : html`A reader without an account,
      ${
        replyTo !== null &&
        html`<a href="${contactUrlOf(replyTo)}"><bdi>${replyTo}</bdi></a
          >,`
      }`

/** Says who works on a report, or has worked on it; false for an open one. */
export const handledBy = (report: Report, moderator: ModeratorAuthority): Html | false => {
  const { claimedBy, claimedById, claimedUntil } = report
  if (report.status === "resolved") return resolution(report, moderator)
  return (
    claimedBy !== null &&
    claimedUntil !== null &&
    html`<bdi>${whoDid(claimedBy, claimedById, moderator)}</bdi> claimed it until ${minute(claimedUntil)}`
  )
}

const decided = {
  hide: "hid the comment",
  withdraw: "withdrew the post",
  restrict: "restricted the author"
} as const

const outcomeOf = ({ decision, outcome }: Report): string => {
  if (decision !== null) return decided[decision]
  return outcome === "dismissed" ? "dismissed it" : "resolved it"
}

/** Says who did what about a report that is resolved, when and why. */
export const resolution = (report: Report, moderator: ModeratorAuthority): Html | false => {
  const { resolution: reason, resolvedAt, resolvedBy, resolvedById } = report
  return (
    resolvedBy !== null &&
    resolvedAt !== null &&
    html`<bdi>${whoDid(resolvedBy, resolvedById, moderator)}</bdi> ${outcomeOf(report)} on
      ${minute(resolvedAt)}${reason !== null && html`: “<bdi>${reason}</bdi>”`}`
  )
}

/** Returns what one reader wrote about the target, set off, and who works on it. */
export const reportQuote = (report: Report, { moderator, now }: Reading): Html => {
  const handled = handledBy(report, moderator)
  return html`<blockquote class="quoted">
    <p class="said" dir="auto">${report.reason}</p>
    <p class="hint">
      ${reporterName(report)} ${since(report.createdAt, now)}${handled !== false && html` (${handled})`}
    </p>
  </blockquote>`
}

const KINDS = { post: "Post", comment: "Comment", account: "Account" } as const

/** Lists what of an author is reported and not resolved, from the oldest on; false for nothing. */
export const othersPart = (
  title: Html | string,
  others: ReadonlyArray<OfAuthorRow>,
  now: Date
): Html | false =>
  others.length > 0 &&
  html`<section aria-labelledby="others">
    <h2 class="label" id="others">${title}</h2>
    <ul class="plain">
      ${others.map(
        ({ created_at, id, kind, reason, reports }) =>
          html`<li>
            <a href="${reportPath(id)}">${KINDS[kind]}</a>: “<bdi>${reason}</bdi>”
            <span class="hint"
              >${reports > 1 && html`${counted(reports, "report")}, `}${since(created_at, now)}</span
            >
          </li>`
      )}
    </ul>
  </section>`
