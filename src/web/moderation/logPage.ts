import type { AuditEntry } from "../../../schemas/engagement/moderation/Moderation.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { pager, targetAfter } from "../pages/parts/pager.ts"
import { LOG, roomPage } from "./parts.ts"
import { accountPath, reportPath } from "./reportParts.ts"
import { actionList } from "./words.ts"

interface LogView {
  readonly moderator: ModeratorAuthority
  readonly entries: ReadonlyArray<AuditEntry>
  /** The cursor behind which the page begins, and that of the next page. */
  readonly after: string | null
  readonly next: string | null
}

/** Leads to what an action was about, if it has a page in this room. */
const subjectOf = ({ action, subjectId }: AuditEntry): Html => {
  if (action.startsWith("accounts.") || action.startsWith("moderators."))
    return html`<a href="${accountPath(subjectId)}">The account</a>`
  return action.startsWith("moderation.reports.")
    ? html`<a href="${reportPath(subjectId)}">The report</a>`
    : html`<span class="size">${subjectId}</span>`
}

/** Returns the actions of moderators and operators, newest first. */
export const logPage = ({ after, entries, moderator, next }: LogView): Page =>
  roomPage({
    title: "Log",
    section: LOG,
    told: null,
    content: html`${
      entries.length === 0
        ? html`<p class="lede">
            ${after === null ? "Nothing has been done yet." : "There are no older actions."}
          </p>`
        : actionList("Actions", entries, moderator, subjectOf)
    }${pager(next === null ? null : targetAfter(LOG, next), after === null ? null : LOG)}`
  })
