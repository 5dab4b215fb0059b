import type { Mailing } from "../../../schemas/engagement/subscribers/Mailing.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { NextPublication } from "../../publishing/posts/nextPublication.ts"
import { counted } from "../pages/parts/values.ts"
import { mailingPath, mailPath } from "../write/writePage.ts"

/** The mail about a post: that of the next publication, the one that its first publication made, or none. */
export type MailView =
  | {
      readonly kind: "next"
      readonly id: PostId
      readonly mailing: Mailing
      /** The minutes that the mails take; null without a pace. */
      readonly minutes: number | null
    }
  | {
      readonly kind: "made"
      readonly id: PostId
      readonly mailing: Mailing
      /** The minutes until the mail leaves; 0 once it is due. */
      readonly minutesLeft: number
    }
  | { readonly kind: "none"; readonly id: PostId; readonly isUnmailed: boolean }

const HOUR = 60
const DAY = 24 * HOUR

/** Returns a length of time in words. */
const timeOf = (minutes: number): string => {
  if (minutes <= 1) return "a minute"
  if (minutes < 2 * HOUR) return `${minutes} minutes`
  if (minutes < 2 * DAY) return `${Math.ceil(minutes / HOUR)} hours`
  return `${Math.ceil(minutes / DAY)} days`
}

const pace = (minutes: number | null, { recipients }: Mailing) =>
  minutes === null || recipients < 2 ? "" : ` Sending all of them takes about ${timeOf(minutes)}.`

const size = ({ bytes, isCut }: Mailing) =>
  isCut
    ? " The text is too long for one email: readers get the beginning, with a link to the rest."
    : ` The email is ${Math.ceil((bytes ?? 0) / 1000)} kB.`

/** Says why readers do not get the next publication by mail. */
const unmailed = (next: NextPublication): string => {
  if (next === "again")
    return "This post was published before without an email, so your readers don't get one now."
  return next === "old"
    ? "The post has a date of more than a day ago. If you publish it now, your readers don't get it by email."
    : "Your readers don't get this post by email."
}

/** Says before a publication who gets the post by mail. */
export const mailSentence = (view: MailView | null, next: NextPublication): Html | false => {
  if (view === null) return false
  const seen = html`<a href="${mailPath(view.id)}">See the email</a>`
  if (view.kind === "made")
    return view.mailing.sent > 0
      ? html`<p class="note">
          Your readers got an email the first time. They don't get another one. ${seen}
        </p>`
      : html`<p class="note">
          The email of the first publication wasn't sent. Your readers don't get another one. ${seen}
        </p>`
  if (view.kind === "none")
    return html`<p class="note">${unmailed(view.isUnmailed && next !== "again" ? "first" : next)}</p>`
  const { mailing, minutes } = view
  const { recipients } = mailing
  return html`<p class="note">
    ${counted(recipients, "reader")} ${recipients === 1 ? "gets" : "get"} the post by email, five minutes
    after you publish it for the first time.${pace(minutes, mailing)}${size(mailing)} ${seen}
  </p>`
}

const sentences: Readonly<Record<Mailing["state"], (mailing: Mailing, minutesLeft: number) => string>> = {
  none: () => "",
  waiting: ({ recipients }, minutesLeft) =>
    `The email to ${counted(recipients, "reader")} leaves ${minutesLeft > 0 ? `in ${timeOf(minutesLeft)}` : "now"}.`,
  sending: ({ recipients, sent }) =>
    `Emails are on their way: ${sent.toLocaleString("en")} of ${counted(recipients, "reader")}.`,
  sent: ({ failed, recipients }) =>
    failed === 0
      ? `${counted(recipients, "reader")} got the post by email.`
      : `${counted(recipients - failed, "reader")} got the post by email. ${counted(failed, "email")} didn't arrive.`,
  cancelled: ({ sent }) =>
    sent === 0
      ? "The email isn't sent."
      : `The email was stopped. ${counted(sent, "reader")} got it, and the others don't.`
}

const button = (action: string, words: string, isQuiet: boolean): Html =>
  html`<button class="${isQuiet ? "button quiet" : "button"}" type="submit" name="action" value="${action}">
    ${words}
  </button>`

/** Says how far the mail about a public post is, with what its author can still decide. */
export const mailPart = (id: PostId, view: MailView | null): Html | false => {
  if (view === null || view.kind === "next") return false
  if (view.kind === "none")
    return view.isUnmailed && html`<p class="note">You chose not to email this post to your readers.</p>`
  const { mailing, minutesLeft } = view
  const { state } = mailing
  return html`<section class="fields" aria-labelledby="mailing">
    <h2 class="label" id="mailing">Email to readers</h2>
    <p>${sentences[state](mailing, minutesLeft)} <a href="${mailPath(id)}">See the email</a></p>
    ${
      (state === "waiting" || state === "sending") &&
      html`<form class="act" method="post" action="${mailingPath(id)}">
        ${state === "waiting" && html`${button("send_now", "Send it now", false)} `}${button("cancel", state === "waiting" ? "Don't send it" : "Stop", true)}
      </form>`
    }
  </section>`
}
