import type { Report } from "../../../schemas/engagement/reports/Report.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import { enteredText } from "../../platform/pages/entered.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { MODERATION } from "../browser/paths.ts"
import { authorPath } from "../pages/parts/people.ts"
import { counted } from "../pages/parts/values.ts"
import { respondPath } from "../respond/respondPage.ts"
import { reasonForm, type RefusedReason, roomPage } from "./parts.ts"
import { accountPath, handledBy, reportLine, reportPath, stateTag, targetName } from "./reportParts.ts"

interface ReportView {
  readonly moderator: ModeratorAuthority
  readonly report: Report
  /** The newest reports of the same target, with this one. */
  readonly reports: ReadonlyArray<Report>
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
const buttonsOf = ({ target: { author, kind, state } }: Report) => {
  const isThere = state === "public" || state === "not_public"
  return [
    { value: "dismiss", name: "Dismiss" },
    ...(kind === "comment" && isThere ? [{ value: "hide", name: "Hide the comment" }] : []),
    ...(kind === "post" && isThere ? [{ value: "withdraw", name: "Withdraw the post" }] : []),
    { value: "restrict", name: `Restrict @${author.handle}` }
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

const decision = ({ moderator, refused, report }: ReportView): Html | false => {
  const { claimedById, status, target } = report
  if (target.author.id === moderator.ownerId)
    return html`<p class="lede">This is yours. Another moderator or the operator has to decide.</p>`
  if (status === "resolved" || (status === "claimed" && claimedById !== moderator.ownerId))
    return (
      refused !== null &&
      enteredText([refused.text, refused.forAuthor].filter((it) => it !== "").join("\n\n"))
    )
  return html`${reasonForm({
    action: reportPath(report.id),
    id: "reason",
    fields: {},
    buttons: buttonsOf(report),
    refused
  })}${consequences(report)}${status === "open" && claimForm(report)}`
}

/** Returns the page with one report: the text, what readers say about it, and what a moderator may do. */
export const reportPage = (view: ReportView): Page => {
  const { moderator, report, reports, told } = view
  const { author, text } = report.target
  const place = placeOf(report)
  const handled = handledBy(report, moderator)
  return roomPage({
    title: "Report",
    section: MODERATION,
    told,
    content: html`<blockquote class="quoted">
        <p class="hint">${targetName(report)} ${stateTag(report)}</p>
        <p class="said" dir="auto">${text}</p>
      </blockquote>
      <p class="note">
        <a href="${accountPath(author.id)}">The account of <bdi>@${author.handle}</bdi></a>
        ${place !== null && html`· <a href="${place}">See it in context</a>`}
      </p>
      ${
        handled !== false &&
        html`<section class="files" aria-label="State">
          <ul>
            <li>${handled}.</li>
          </ul>
        </section>`
      }
      <section class="files" aria-labelledby="reports">
        <h2 class="label" id="reports">${counted(report.target.reports, "report")}</h2>
        <ul>
          ${reports.map((it) => html`<li>${reportLine(it, moderator)}</li>`)}
        </ul>
      </section>
      ${decision(view)}
      <p class="note"><a href="${MODERATION}">All open reports</a></p>`
  })
}
