import { Struct } from "effect"
import type {
  EmailKey,
  NotificationPreferences,
  NotificationPreferencesChange,
  PreferenceKey,
  SalesMail
} from "../../../schemas/engagement/notifications/Preferences.ts"
import { mailKinds, MAIL_SETTINGS_PATH } from "../../engagement/notifications/mails/mailKinds.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { ACCOUNT, DESK } from "../browser/paths.ts"

const kinds: ReadonlyArray<EmailKey> = Struct.keys(mailKinds)

/** The preferences that the page shows, in its order. */
export const shownKeys: ReadonlyArray<PreferenceKey> = [
  "in_app_notifications",
  ...kinds.map((key) => `${key}_inapp` as const),
  "email_notifications",
  ...kinds.filter((key) => key !== "notify_new_purchase")
]

/** The name of the choice about sales, and of the field with the choice from which the form began. */
export const SALES = "notify_sales"
export const BEGAN_SALES = "_sales"

const salesChoices: ReadonlyArray<readonly [when: SalesMail, label: string]> = [
  ["daily", "In one email a day, at 08:00 UTC"],
  ["at_once", "In an email for each"],
  ["never", "Not by email"]
]

/** Returns when mails tell of sales and tips: never, if their kind was switched off. */
const salesMailOf = ({ notify_new_purchase, notify_sales }: NotificationPreferences): SalesMail =>
  notify_new_purchase ? notify_sales : "never"

/** Returns the preferences behind a choice about sales. */
export const salesChange = (when: SalesMail): NotificationPreferencesChange =>
  when === "never" ? { notify_sales: when } : { notify_sales: when, notify_new_purchase: true }

interface SettingsView {
  readonly preferences: NotificationPreferences
  /** False for an account without a confirmed email address. */
  readonly hasEmail: boolean
  readonly isSaved: boolean
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const choice = (name: PreferenceKey, label: string, isOn: boolean): Html =>
  html`<label class="choice"
    >${isOn ? html`<input type="checkbox" name="${name}" checked />` : html`<input type="checkbox" name="${name}" />`}
    ${label}</label
  >`

/** The choice about mails of sales. A day may have many sales. */
const sales = (preferences: NotificationPreferences): Html => {
  const current = salesMailOf(preferences)
  return html`<fieldset class="files">
    <legend class="label">Tell me about sales and tips</legend>
    ${hidden(BEGAN_SALES, current)}${salesChoices.map(
      ([when, label]) =>
        html`<label class="choice"
          >${
            when === current
              ? html`<input type="radio" name="${SALES}" value="${when}" checked />`
              : html`<input type="radio" name="${SALES}" value="${when}" />`
          }
          ${label}</label
        >`
    )}
  </fieldset>`
}

/** Returns the page on which an owner chooses what to hear about, on the desk and by email. */
export const settingsPage = ({ hasEmail, isModerator, isSaved, preferences }: SettingsView): Page =>
  formPage({
    title: "Notification settings",
    content: html`${deskMenu(`${DESK}/notifications`, isModerator)}${isSaved && outcome("Your choices are saved.")}
      <form class="fields" method="post" action="${MAIL_SETTINGS_PATH}">
        ${hidden("_began", shownKeys.filter((key) => preferences[key]).join(" "))}
        <fieldset class="files">
          <legend class="label">Email me about</legend>
          ${
            !hasEmail &&
            html`<p class="hint">
              Your account has no confirmed email address, so we can't email you yet.
              <a href="${ACCOUNT}">Add one</a>.
            </p>`
          }${kinds
            .filter((key) => key !== "notify_new_purchase")
            .map((key) => choice(key, capitalized(mailKinds[key]), preferences[key]))}
        </fieldset>
        ${sales(preferences)}
        ${choice("email_notifications", "Send me these emails", preferences.email_notifications)}
        <p class="hint">Sign-in codes always reach you.</p>
        <fieldset class="files">
          <legend class="label">Notify me on this site about</legend>
          ${kinds.map((key) =>
            choice(`${key}_inapp`, capitalized(mailKinds[key]), preferences[`${key}_inapp`])
          )}
        </fieldset>
        ${choice("in_app_notifications", "Show me these notifications", preferences.in_app_notifications)}
        <button class="button" type="submit">Save</button>
      </form>
      <p class="note">
        <a href="${DESK}/notifications">Your notifications</a> ·
        <a href="${DESK}/following">Choose by author</a>
      </p>`
  })
