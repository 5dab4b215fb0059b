import { ACTIVE_KEYS_MAX, type IssuedKey } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { copyField } from "../../platform/pages/copyField.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { ACCOUNT, WEBHOOKS } from "../browser/paths.ts"
import { counted, day } from "../pages/parts/values.ts"
import { type AccountView, type KeyView, stateOf } from "./accountView.ts"
import { textField } from "./textField.ts"

const nameOf = ({ apiKey: { label } }: KeyView): Html =>
  label === null ? html`Key without a label` : html`<bdi>${label}</bdi>`

const lifeOf = ({ apiKey: { createdAt, expiresAt, revokedAt }, isActive }: KeyView): Html => {
  const made = html`made on ${day(createdAt, "en")}`
  if (revokedAt !== null) return html`${made}, revoked on ${day(revokedAt, "en")}`
  if (expiresAt === null) return html`${made}, never expires`
  return isActive
    ? html`${made}, expires on ${day(expiresAt, "en")}`
    : html`${made}, expired on ${day(expiresAt, "en")}`
}

const replace = html`<p class="hint">A new secret takes its place. The old one stops working right away.</p>
  <button class="button quiet" type="submit" formaction="${ACCOUNT}/keys/rotate">Replace</button>`

const active = (key: KeyView): Html =>
  html`<li>
    <span>${nameOf(key)}</span>
    <span class="size">
      ${key.isWebsite && "saves and publishes what you write on this website, "}${lifeOf(key)}
    </span>
    <details>
      <summary>
        ${key.isWebsite ? "Revoke" : "Replace or revoke"}<span class="sr"> ${nameOf(key)}</span>
      </summary>
      <form class="fields" method="post" action="${ACCOUNT}/keys/revoke">
        ${hidden("keyId", key.apiKey.keyId)}${!key.isWebsite && replace}
        <p class="hint">
          ${
            key.isWebsite
              ? "Only the website can use this key. If you revoke it, the website makes another one only when you ask for it."
              : "Revoke a key you no longer use. Programs that use it will no longer be able to publish."
          }
        </p>
        ${
          key.scheduled > 0 &&
          html`<p class="hint">
            ${counted(key.scheduled, "scheduled post")} ${key.scheduled === 1 ? "ends" : "end"} with it:
            revoked, it publishes nothing more.${!key.isWebsite && " Replaced, it still does."}
          </p>`
        }
        <button class="button quiet" type="submit">Revoke</button>
      </form>
    </details>
  </li>`

const ended = (keys: ReadonlyArray<KeyView>): Html | false =>
  keys.length > 0 &&
  html`<details>
    <summary>${counted(keys.length, "ended key")}</summary>
    <ul>
      ${keys.map((key) => html`<li><span>${nameOf(key)}</span> <span class="size">${lifeOf(key)}</span></li>`)}
    </ul>
  </details>`

interface NewKeyForm {
  /** Names the key that the form makes. */
  readonly key: string
  readonly label: string
  readonly isEndless: boolean
  readonly wrong?: string | undefined
}

/** The form that makes a Publishing key. */
const newKeyForm = ({ isEndless, key, label, wrong }: NewKeyForm): Html =>
  html`<form class="fields" method="post" action="${ACCOUNT}/keys">
    ${hidden("key", key)}${textField({
      name: "label",
      label: "Label of a new key",
      hint: "Which program it's for, in 1 to 80 characters.",
      value: label,
      max: 640,
      wrong
    })}<label class="choice"
      >${
        isEndless
          ? html`<input type="checkbox" name="endless" value="1" checked />`
          : html`<input type="checkbox" name="endless" value="1" />`
      }
      Works until I revoke it. Otherwise, it expires after 90 days.</label
    ><button class="button" type="submit">Make a key</button>
  </form>`

/** Returns the part of the account with the keys by which programs publish. */
export const keySection = (view: AccountView): Html => {
  const isActive = view.keys.filter((key) => key.isActive)
  const { value, wrong } = stateOf(view, "label")
  const isFull = isActive.length >= ACTIVE_KEYS_MAX
  return html`<section class="files" aria-labelledby="keys">
    <h2 class="label" id="keys">Publishing keys</h2>
    <p>
      Programs need a key to publish in your name.
      ${
        isFull
          ? "You have five keys, which is the limit. Revoke one to make another."
          : `You have ${counted(isActive.length, "key")}, and can have up to five.`
      }
    </p>
    <ul>
      ${isActive.map(active)}
    </ul>
    ${ended(view.keys.filter((key) => !key.isActive))}${
      (!isFull || wrong !== undefined) && newKeyForm({ key: view.key, label: value, isEndless: false, wrong })
    }
    <p class="note"><a href="${WEBHOOKS}">Webhooks</a> tell your programs what happens here.</p>
  </section>`
}

/** Returns the page that shows the secret of a new key. No other page has it. */
export const newKeyPage = ({ apiKey, key }: IssuedKey): Page =>
  formPage({
    title: "Your new Publishing key",
    content: html`${outcome("Copy the key now: we only show it once.")}${copyField("Publishing key", key, key)}
      <p>
        ${apiKey.label !== null && html`It is for <bdi>${apiKey.label}</bdi>. `}${
          apiKey.expiresAt === null
            ? "It works until you revoke it."
            : html`It works until ${day(apiKey.expiresAt, "en")}.`
        }
        Programs send it in the header <code>Authorization: Bearer</code>, as the
        <a href="/docs">API</a> says. Anyone who has it can publish as you, so keep it like a password.
      </p>
      <p id="live" class="sr" role="status"></p>
      <p class="note"><a href="${ACCOUNT}">Back to your account</a></p>`
  })
