import type { Delivery } from "../../../schemas/engagement/webhooks/Delivery.ts"
import { ALL_EVENTS, type Webhook } from "../../../schemas/engagement/webhooks/Webhook.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { textField } from "../account/textField.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { ACCOUNT, WEBHOOKS } from "../browser/paths.ts"
import { counted, day } from "../pages/parts/values.ts"
import { eventChoices, webhookPath } from "./listPage.ts"
import { deliveryWords, eventsWords, stateWords } from "./webhookWords.ts"

/** The acts of the buttons of the page. */
type WebhookAct = "again" | "catch_up" | "change" | "off" | "on" | "remove" | "secret" | "test"

interface WebhookView {
  readonly webhook: Webhook
  /** The newest deliveries. */
  readonly deliveries: ReadonlyArray<Delivery>
  /** The page behind this one; null at the end of the log. */
  readonly nextCursor: string | null
  readonly told: string | null
  /** The URL that was refused, and why. */
  readonly refused: { readonly url: string; readonly sentence: string } | null
  readonly isModerator: boolean
}

const act = (
  { id }: Webhook,
  name: WebhookAct,
  label: Html | string,
  more: Html | false = false,
  look = "button quiet"
): Html =>
  html`<form class="act" method="post" action="${webhookPath(id)}">
    ${hidden("act", name)}${more}<button class="${look}" type="submit">${label}</button>
  </form>`

const delivery = (webhook: Webhook, it: Delivery): Html =>
  html`<li>
    <span><code>${it.type}</code>, ${day(it.createdAt, "en")}</span>
    <span class="size"
      >${deliveryWords(it)}.
      ${it.attempts > 1 && html`${counted(it.attempts, "attempt")}. `}${
        it.nextAttemptAt !== null && webhook.enabled && html`The next attempt follows by itself.`
      }</span
    >
    ${
      webhook.enabled &&
      it.state !== "waiting" &&
      act(
        webhook,
        "again",
        html`Send again<span class="sr"> the ${it.type} of ${it.createdAt.slice(0, 19)}</span>`,
        hidden("delivery", it.id)
      )
    }
  </li>`

const switches = (webhook: Webhook): Html | false => {
  if (webhook.enabled)
    return html`${act(webhook, "test", "Send test", false, "button")}${act(webhook, "off", "Turn off")}`
  return (
    webhook.disabledReason !== "account_restricted" &&
    html`${act(webhook, "catch_up", "Turn on again and send what was missed", false, "button")}${act(webhook, "on", "Turn on again")}`
  )
}

const settings = ({ refused, webhook }: WebhookView): Html =>
  html`<form class="fields" method="post" action="${webhookPath(webhook.id)}">
    ${hidden("act", "change")}${textField({
      name: "url",
      label: "URL of your server",
      hint: "An https address that takes POST requests.",
      value: refused?.url ?? webhook.url,
      max: 2048,
      mode: "url",
      wrong: refused?.sentence
    })}${eventChoices(webhook.events.filter((type) => type !== ALL_EVENTS))}<button
      class="button quiet"
      type="submit"
    >
      Save
    </button>
  </form>`

/** Returns the page of a webhook: how it fares, its log, and what its owner can do. */
export const webhookPage = (view: WebhookView): Page => {
  const { deliveries, nextCursor, webhook } = view
  return formPage({
    title: "Webhook",
    heading: html`<bdi>${new URL(webhook.url).host}</bdi>`,
    kicker: "Webhook",
    content: html`${deskMenu(ACCOUNT, view.isModerator)}${view.told !== null && outcome(view.told)}
      <p>
        ${stateWords(webhook)}
        ${webhook.waiting > 0 && html`${counted(webhook.waiting, "event waits", "events wait")}. `}${eventsWords(webhook)}.
      </p>
      ${switches(webhook)}
      <section class="files" aria-labelledby="log">
        <h2 class="label" id="log">What we sent</h2>
        ${
          deliveries.length === 0
            ? html`<p>Nothing in the last 30 days.</p>`
            : html`<ul>
                ${deliveries.map((it) => delivery(webhook, it))}
              </ul>`
        }
        ${nextCursor !== null && html`<p class="note"><a href="${webhookPath(webhook.id)}?cursor=${nextCursor}">Older</a></p>`}
      </section>
      <section class="files" aria-labelledby="settings">
        <h2 class="label" id="settings">Settings</h2>
        ${settings(view)}
      </section>
      <section class="files" aria-labelledby="secret">
        <h2 class="label" id="secret">Secret</h2>
        <p>
          It begins with <code>whsec_</code> and ends with <code>${webhook.secrets[0]?.hint.slice(-4)}</code>.
        </p>
        <p class="hint">A new one takes its place. The present one signs too, for another day.</p>
        ${act(webhook, "secret", "Make a new secret")}
      </section>
      <details>
        <summary>Delete</summary>
        <p class="hint">The webhook and its log are gone for good.</p>
        ${act(webhook, "remove", "Delete webhook")}
      </details>
      <p class="note"><a href="${WEBHOOKS}">All webhooks</a></p>`
  })
}
