import type { Mailing } from "../../../schemas/engagement/subscribers/Mailing.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { MailPreview } from "../../engagement/subscribers/mailings/Mailings.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { counted } from "../pages/parts/values.ts"
import { mailingPath, mailPath } from "../write/writePage.ts"

/** The mail about a post: that of the next publication, or the one that its first publication made. */
export type MailView =
  | { readonly kind: "next"; readonly id: PostId; readonly preview: MailPreview }
  | { readonly kind: "made"; readonly id: PostId; readonly mailing: Mailing }

const HOUR = 60
const DAY = 24 * HOUR

/** Returns a length of time in words. */
const timeOf = (minutes: number): string => {
  if (minutes <= 1) return "a minute"
  if (minutes < 2 * HOUR) return `${minutes} minutes`
  if (minutes < 2 * DAY) return `${Math.ceil(minutes / HOUR)} hours`
  return `${Math.ceil(minutes / DAY)} days`
}

const pace = ({ minutes, recipients }: MailPreview) =>
  minutes === null || recipients < 2 ? "" : ` Sending all of them takes about ${timeOf(minutes)}.`

const size = ({ bytes, isCut }: MailPreview) =>
  isCut
    ? " The text is too long for one email: readers get the beginning, with a link to the rest."
    : ` The email has ${Math.ceil(bytes / 1000)} kB.`

/** Says before a publication who gets the post by mail. */
export const mailSentence = (view: MailView | null): Html | false => {
  if (view === null) return false
  const seen = html`<a href="${mailPath(view.id)}">See the email</a>`
  if (view.kind === "made")
    return html`<p class="note">
      Your readers got an email the first time. They don't get another one. ${seen}
    </p>`
  const { preview } = view
  return html`<p class="note">
    ${counted(preview.recipients, "reader")} ${preview.recipients === 1 ? "gets" : "get"} the post by email,
    five minutes after you publish it for the first time.${pace(preview)}${size(preview)} ${seen}
  </p>`
}

const sentences: Readonly<Record<Mailing["state"], (mailing: Mailing) => string>> = {
  none: () => "",
  waiting: ({ recipients }) => `The email to ${counted(recipients, "reader")} leaves in 5 minutes.`,
  sending: ({ recipients, sent }) =>
    `Emails are on their way: ${sent.toLocaleString("en")} of ${counted(recipients, "reader")}.`,
  sent: ({ failed, recipients }) =>
    failed === 0
      ? `${counted(recipients, "reader")} got the post by email.`
      : `${counted(recipients - failed, "reader")} got the post by email. ${failed.toLocaleString("en")} mailboxes refused it.`,
  cancelled: () => "The email isn't sent."
}

const button = (action: string, words: string, isQuiet: boolean): Html =>
  html`<button class="${isQuiet ? "button quiet" : "button"}" type="submit" name="action" value="${action}">
    ${words}
  </button>`

/** Says how far the mail about a public post is, with what its author can still decide. */
export const mailPart = (id: PostId, view: MailView | null): Html | false => {
  if (view === null || view.kind === "next" || view.mailing.state === "none") return false
  const { mailing } = view
  const { state } = mailing
  return html`<section aria-labelledby="mailing">
    <h2 class="label" id="mailing">Email to readers</h2>
    <p>${sentences[state](mailing)} <a href="${mailPath(id)}">See the email</a></p>
    ${
      (state === "waiting" || state === "sending") &&
      html`<form class="act" method="post" action="${mailingPath(id)}">
        ${state === "waiting" && html`${button("send_now", "Send it now", false)} `}${button("cancel", state === "waiting" ? "Don't send it" : "Stop", true)}
      </form>`
    }
  </section>`
}
