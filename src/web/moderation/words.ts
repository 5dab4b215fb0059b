import type { AuditEntry } from "../../../schemas/engagement/moderation/Moderation.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { dayOf, secondsOf } from "../../platform/pages/language.ts"

/** A moment to the minute, as moderators of several time zones compare it. */
export const minute = (at: string): Html =>
  html`<time datetime="${secondsOf(at)}">${dayOf(at, "en")}, ${at.slice(11, 16)} UTC</time>`

/** Returns the name of the person who acted: `You`, the handle of a moderator, or the name that an operator gave. */
export const whoDid = (name: string, id: OwnerId | null, { ownerId }: ModeratorAuthority): string => {
  if (id === ownerId) return "You"
  return id === null ? `${name} (operator)` : `@${name}`
}

const did: Readonly<Record<string, string>> = {
  "accounts.restrict": "restricted the account",
  "accounts.delete": "deleted the account",
  "accounts.unrestrict": "ended the restriction of the account",
  "accounts.removeAgentLabel": "removed the label “AI agent”",
  "moderation.comments.hide": "hid a comment",
  "moderation.comments.restore": "showed a comment again",
  "moderation.posts.withdraw": "withdrew a post",
  "moderation.posts.restore": "restored a post",
  "moderation.reports.claim": "claimed a report",
  "moderation.reports.resolve actioned": "resolved a report",
  "moderation.reports.resolve dismissed": "dismissed a report",
  "moderators.add": "made the account a moderator",
  "moderators.remove": "ended the account's right to moderate",
  "payments.obligations.pay": "recorded a payment to an author",
  "payments.settlements.look": "looked up a payment",
  "readers.approve": "let the readers of a list get posts without a confirmation",
  "readers.refuse": "refused a list of readers",
  "uploads.hold": "held an upload",
  "uploads.release": "released an upload",
  "uploads.rescreen": "had an upload screened again"
}

/** Returns an action as a sentence: who did what, when and why. */
const actionSaid = (entry: AuditEntry, moderator: ModeratorAuthority): Html =>
  html`<bdi>${whoDid(entry.actor, entry.actorId, moderator)}</bdi> ${did[entry.action] ?? entry.action} on
    ${minute(entry.createdAt)}:
    “<bdi>${entry.reason}</bdi>”${entry.reasonForAuthor !== null && html`. The author was told: “<bdi>${entry.reasonForAuthor}</bdi>”`}`

/** Returns a list of actions. `subjectOf` says what each is about, where that is not clear from its place. */
export const actionList = (
  name: string,
  entries: ReadonlyArray<AuditEntry>,
  moderator: ModeratorAuthority,
  subjectOf: (entry: AuditEntry) => Html | false = () => false
): Html =>
  html`<section class="files" aria-label="${name}">
    <ul>
      ${entries.map((entry) => html`<li><span>${actionSaid(entry, moderator)}</span>${subjectOf(entry)}</li>`)}
    </ul>
  </section>`

/**
 * Tells the outcome of a form about a thing whose state several moderators may set: the newest action of this kind, which
 * may be that of another one.
 */
export const lastDone = (
  action: string | undefined,
  entries: ReadonlyArray<AuditEntry>,
  moderator: ModeratorAuthority
): Html | null => {
  const last = entries.find((entry) => entry.action === action)
  if (last === undefined) return null
  return last.actorId === moderator.ownerId
    ? html`Done. ${actionSaid(last, moderator)}.`
    : html`Someone else has already handled this. ${actionSaid(last, moderator)}.`
}
