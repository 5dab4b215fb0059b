import { Struct } from "effect"
import type {
  EmailKey,
  NotificationPreferences
} from "../../../schemas/engagement/notifications/Preferences.ts"
import { mailKinds, MAIL_SETTINGS_PATH } from "../../platform/mail/mailKinds.ts"
import { outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"

/** The kinds of emails that an owner chooses. */
export const mailKeys: ReadonlyArray<EmailKey> = Struct.keys(mailKinds)

interface MailSettingsView {
  readonly preferences: NotificationPreferences
  readonly isSaved: boolean
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const choice = (name: keyof NotificationPreferences, label: string, isOn: boolean): Html =>
  html`<label class="choice"
    >${isOn ? html`<input type="checkbox" name="${name}" checked />` : html`<input type="checkbox" name="${name}" />`}
    ${label}</label
  >`

/** Returns the page on which an owner chooses the emails that the service sends. */
export const mailSettingsPage = ({ isSaved, preferences }: MailSettingsView): Page =>
  formPage({
    title: "Email settings",
    content: html`${isSaved && outcome("Your choices are saved.")}
      <form class="fields" method="post" action="${MAIL_SETTINGS_PATH}">
        <fieldset class="files">
          <legend class="label">Email me about</legend>
          ${mailKeys.map((key) => choice(key, capitalized(mailKinds[key]), preferences[key]))}
        </fieldset>
        ${choice("email_notifications", "Send me these emails", preferences.email_notifications)}
        <p class="hint">Sign-in codes always reach you.</p>
        <button class="button" type="submit">Save</button>
      </form>`
  })
