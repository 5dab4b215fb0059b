import type { ApiKey } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { enteredText } from "../../platform/pages/entered.ts"
import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { day } from "../pages/parts/values.ts"

interface KeyView {
  readonly reason: "limit" | "revoked"
  /** The path to which the author goes back. */
  readonly back: string
  /** The active keys. Revoking one makes room. */
  readonly keys: ReadonlyArray<ApiKey>
  /** The words that the author wrote into the form that needed the key, so that they can be copied. */
  readonly entered: string
}

const revocable = (key: ApiKey, back: string): Html =>
  html`<li>
    <span>${key.label === null ? "Key without a label" : html`<bdi>${key.label}</bdi>`}</span>
    <span class="size">made on ${day(key.createdAt, "en")}</span>
    <form method="post" action="/desk/key">
      ${hidden("back", back)}${hidden("revoke", key.keyId)}<button class="button quiet" type="submit">
        Revoke<span class="sr"> the key made on ${day(key.createdAt, "en")}</span>
      </button>
    </form>
  </li>`

/** Returns the page that says why the website cannot publish for an author, and what the author can do. */
export const keyPage = ({ back, entered, keys, reason }: KeyView): Page =>
  reason === "revoked"
    ? formPage({
        title: "The website has no key",
        content: html`<p class="lede">
            You revoked the Publishing key that this website uses to save your posts. You can make another
            one.
          </p>
          <form class="fields" method="post" action="/desk/key">
            ${hidden("back", back)}<button class="button" type="submit">Make a new key</button>
          </form>
          ${enteredText(entered)}`
      })
    : formPage({
        title: "You have five Publishing keys",
        content: html`<p class="lede">
            This website needs a key of its own to save your posts, and an account has five at most. Revoke
            one you no longer use. Programs that use it will no longer be able to publish.
          </p>
          <ul class="files">
            ${keys.map((key) => revocable(key, back))}
          </ul>
          ${enteredText(entered)}`
      })
