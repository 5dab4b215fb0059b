import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { Entry } from "../../engagement/notifications/feed/entries.sql.ts"
import { issueWordsOf } from "../../engagement/notifications/mails/issues.ts"
import { dayOf, paidOf } from "../../engagement/notifications/mails/newsOf.ts"
import { dayText } from "../../engagement/notifications/mails/notificationLetters.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { DESK, PURCHASES, WEBHOOKS } from "../browser/paths.ts"
import { authorPath } from "../pages/parts/people.ts"
import { amount, counted, titleText } from "../pages/parts/values.ts"
import { payoutPath } from "../payout/payoutPage.ts"
import { publishPath, writePath } from "../write/writePage.ts"

const name = ({ actor_name }: Entry): Html =>
  actor_name === null ? html`A reader` : html`<bdi>${actor_name}</bdi>`

/** Returns the title of the post of an entry, or other words for a post without one that the owner may see. */
export const titleOf = (entry: Entry, otherwise: string): Html =>
  entry.title === null ? html`${otherwise}` : html`“<bdi>${titleText(entry.title)}</bdi>”`

/** The words for a post that is not public. */
export const GONE = "a post that is no longer public"

const paid = (entry: Entry): Html => {
  const payment = paidOf(entry.data)
  if (payment === undefined) return html`Someone paid you`
  const xno = html`${amount(xnoOfRaw(payment.amountRaw))} XNO`
  if (payment.kind === "purchase")
    return html`${name(entry)} bought ${titleOf(entry, "one of your posts")} for ${xno}`
  return html`${name(entry)} tipped you ${xno}${entry.title !== null && html` for ${titleOf(entry, "")}`}`
}

/** The words about the issue of an entry. */
export const issueOf = ({ data }: Entry) => issueWordsOf(typeof data["code"] === "string" ? data["code"] : "")

const issue = (entry: Entry): Html => {
  const { after, before, joint } = issueOf(entry)
  return html`${before}${after !== "" && entry.title !== null && html`${joint}${titleOf(entry, "")}`}${after}`
}

/** One entry stands for all comments since the last one that was read. */
const alsoCommented = (entry: Entry): Html => {
  const { count } = entry.data
  return typeof count === "number" && count > 1
    ? html`${counted(count, "new comment")} on ${titleOf(entry, GONE)}, where you commented`
    : html`${name(entry)} also commented on ${titleOf(entry, GONE)}`
}

/** Returns what happened, in a sentence. */
export const sentenceOf = (entry: Entry): Html => {
  switch (entry.type) {
    case "new_purchase":
      return paid(entry)
    case "new_post":
      return html`${name(entry)} published ${titleOf(entry, GONE)}`
    case "new_follow":
      return html`${name(entry)} now follows you`
    case "new_comment":
      return html`${name(entry)} commented on ${titleOf(entry, GONE)}`
    case "comment_reply":
      return html`${name(entry)} replied to you on ${titleOf(entry, GONE)}`
    case "commented_post_activity":
      return alsoCommented(entry)
    case "account_issue":
      return issue(entry)
    case "summary": {
      const day = dayOf(entry.data)
      return html`${day === undefined ? "Your day in numbers" : dayText(day)}`
    }
  }
}

const isOfComment = ({ data, type }: Entry): boolean =>
  type === "account_issue" && typeof data["code"] === "string" && data["code"].startsWith("comment_")

/** Returns the page on which an owner deals with an issue of the account. */
const issuePath = ({ data, is_own_post, post_id }: Entry): string | null => {
  if (data["code"] === "schedules_ended") return `${DESK}/posts`
  if (is_own_post && post_id !== null)
    return data["code"] === "schedule_failed" ? publishPath(post_id) : writePath(post_id)
  if (data["code"] === "payment_lapsed") return PURCHASES
  if (data["code"] === "webhook_failing" || data["code"] === "webhook_disabled") return WEBHOOKS
  return data["code"] === "obligation_blocked" ? payoutPath(DESK) : null
}

/** Returns the address of what happened; null for something that is no longer public. */
export const addressOf = (entry: Entry): string | null => {
  const { actor_handle, author_handle, comment_id, slug, thread_root_id, type } = entry
  if (type === "new_purchase") return `${DESK}/sales`
  if (type === "summary") return DESK
  if (type === "account_issue" && !isOfComment(entry)) return issuePath(entry)
  if (type === "new_follow") return actor_handle === null ? null : authorPath(actor_handle)
  if (author_handle === null || slug === null) return null
  const post = `${authorPath(author_handle)}/${slug}`
  return comment_id === null ? post : `${post}/comments?thread=${thread_root_id}#c-${comment_id}`
}
