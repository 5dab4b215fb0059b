import { Effect } from "effect"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { AccountEmail } from "../../accounts/account-email/AccountEmail.ts"
import { MAIL_SETTINGS_PATH } from "../../engagement/notifications/mails/mailKinds.ts"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"
import { type Html, html } from "../../platform/pages/html.ts"

/** The reason for which a reader gets no mail about new posts, even if they choose mails for one author. */
export type MailObstacle = "no address" | "turned off"

/** Makes the function that finds what keeps a reader from mails about new posts; null for nothing. */
export const makeMailObstacle = Effect.gen(function* () {
  const accountEmail = yield* AccountEmail
  const preferences = yield* Preferences

  return Effect.fn("mailObstacle")(function* (owner: OwnerAuthority) {
    const { emailVerified } = yield* accountEmail.read(owner)
    if (!emailVerified) return "no address"
    const { email_notifications, notify_new_post } = yield* preferences.read(owner)
    return email_notifications && notify_new_post ? null : "turned off"
  })
})

/** Says what a reader has to do before the mails that they choose arrive. */
export const mailNote = (obstacle: MailObstacle | null): Html | false => {
  if (obstacle === null) return false
  return obstacle === "no address"
    ? html`<p class="hint">Emails need an address: <a href="/desk/account">add yours to your account</a>.</p>`
    : html`<p class="hint">
        You turned off emails about new posts. <a href="${MAIL_SETTINGS_PATH}">Turn them on</a> to get them.
      </p>`
}
