import { SUBSCRIBED_TYPES, type Webhook, WEBHOOKS_MAX } from "../../../schemas/engagement/webhooks/Webhook.ts"
import { copyField } from "../../platform/pages/copyField.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { textField } from "../account/textField.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { ACCOUNT, WEBHOOKS } from "../browser/paths.ts"
import { eventsWords, stateWords } from "./webhookWords.ts"

/** Returns the path of the page of a webhook. */
export const webhookPath = (id: string): string => `${WEBHOOKS}/${id}`

/** The texts that were typed into the form of a new webhook. */
export interface NewWebhook {
  readonly url: string
  readonly description: string
  /** The types that were ticked; all events without one. */
  readonly events: ReadonlyArray<string>
}

interface ListView {
  readonly webhooks: ReadonlyArray<Webhook>
  /** Names the webhook that the form makes, so that it is made only once. */
  readonly key: string
  readonly entered: NewWebhook
  /** The reason for which the URL or the rest was refused. */
  readonly wrong: { readonly control: "url" | "description"; readonly sentence: string } | null
  readonly told: string | null
  readonly isModerator: boolean
}

const choice = (type: string, chosen: ReadonlyArray<string>): Html =>
  html`<label class="choice"
    >${
      chosen.includes(type)
        ? html`<input type="checkbox" name="${type}" value="1" checked />`
        : html`<input type="checkbox" name="${type}" value="1" />`
    } <code>${type}</code></label
  >`

/** Returns the choice of events. Without a choice, a webhook gets all. */
export const eventChoices = (chosen: ReadonlyArray<string>): Html =>
  html`<details>
    <summary>Only some events</summary>
    <p class="hint">Without a tick, it gets all events, also those that we add later.</p>
    ${SUBSCRIBED_TYPES.map((type) => choice(type, chosen))}
  </details>`

const newForm = ({ entered, key, wrong }: ListView): Html =>
  html`<form class="fields" method="post" action="${WEBHOOKS}">
    ${hidden("key", key)}${textField({
      name: "url",
      label: "URL of your server",
      hint: "An https address that takes POST requests.",
      value: entered.url,
      max: 2048,
      mode: "url",
      wrong: wrong?.control === "url" ? wrong.sentence : undefined
    })}${textField({
      name: "description",
      label: "Description",
      hint: "For yourself, in up to 200 characters. You can leave it empty.",
      value: entered.description,
      max: 400,
      wrong: wrong?.control === "description" ? wrong.sentence : undefined
    })}${eventChoices(entered.events)}<button class="button" type="submit">Create webhook</button>
  </form>`

const item = (webhook: Webhook): Html =>
  html`<li>
    <span
      ><a href="${webhookPath(webhook.id)}"><bdi>${webhook.url}</bdi></a></span
    >
    <span class="size">
      ${webhook.description !== null && webhook.description !== "" && html`<bdi>${webhook.description}</bdi>. `}${eventsWords(webhook)}.
      ${stateWords(webhook)}
    </span>
  </li>`

/** Returns the page with the webhooks of an owner, and the form of a new one. */
export const listPage = (view: ListView): Page =>
  formPage({
    title: "Webhooks",
    content: html`${deskMenu(ACCOUNT, view.isModerator)}${view.told !== null && outcome(view.told)}
      <p>
        A webhook tells your own server right away when you publish, sell, or get a comment or a follower.
        <a href="/docs">The API</a> says what it sends.
      </p>
      ${
        view.webhooks.length > 0 &&
        html`<section class="files" aria-labelledby="webhooks">
          <h2 class="label" id="webhooks">Your webhooks</h2>
          <ul>
            ${view.webhooks.map(item)}
          </ul>
        </section>`
      }
      <section class="files" aria-labelledby="new">
        <h2 class="label" id="new">New webhook</h2>
        ${
          view.webhooks.length < WEBHOOKS_MAX
            ? newForm(view)
            : html`<p>You have ten webhooks, which is the limit. Delete one to create another.</p>`
        }
      </section>
      <p class="note"><a href="${ACCOUNT}">Back to your account</a></p>`
  })

/** Returns the page that shows a new secret. No other page has it. */
export const secretPage = (id: string, url: string, secret: string, isNew: boolean): Page =>
  formPage({
    title: isNew ? "Your new webhook" : "The new secret of your webhook",
    content: html`${outcome("Copy the secret now: we only show it once.")}${copyField("Secret", secret, secret)}
      <p>
        We sign everything that we send to <bdi>${url}</bdi> with it. Check the signature with a library of
        <a href="https://www.standardwebhooks.com">Standard Webhooks</a>, so that you know it came from us.
      </p>
      ${!isNew && html`<p>The secret before it signs too, for another day.</p>`}
      <p id="live" class="sr" role="status"></p>
      <p class="act"><a class="button" href="${webhookPath(id)}">Go to the webhook</a></p>`
  })
