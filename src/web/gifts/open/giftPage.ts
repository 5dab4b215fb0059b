import { field, hidden } from "../../../platform/pages/fields.ts"
import { html } from "../../../platform/pages/html.ts"
import type { Page } from "../../../platform/pages/layout.ts"
import { formPage } from "../../../platform/pages/messagePage.ts"

/** A gift that waits to be opened. */
interface GiftView {
  /** Names this opening, so that the form counts once however often it is sent. */
  readonly key: string
  /** True after a code of no gift. */
  readonly isRefused: boolean
}

/** The path that names the Post of a code to the script of the page. */
export const OFFER = "/gift/offer"

/**
 * Returns the page that opens a gift. Its token stays in the fragment of the address. The script of the page
 * sends it to ask for the Post and its author. Without the script, the text itself names both after the button is pressed.
 */
export const giftPage = ({ isRefused, key }: GiftView): Page =>
  formPage({
    title: "A gift for you",
    kicker: "Gift",
    content: html`<p class="lede" role="status" data-gift="${OFFER}"></p>
      <p>Open it when you want to read. The post then stays unlocked in this browser, no account needed.</p>
      <form class="fields" method="post" action="/gift">
        ${hidden("key", key)}${field({
          name: "token",
          label: "Gift code",
          hint: "It's the part of your link after the #.",
          wrong: isRefused && "That isn't a gift code. Copy everything in your link after the #.",
          control: ({ by, isInvalid }) =>
            html`<input
              id="token"
              name="token"
              type="text"
              required
              maxlength="200"
              autocomplete="off"
              spellcheck="false"
              aria-describedby="${by}"
              aria-invalid="${isInvalid}"
              data-fragment
            />`
        })}<button class="button" type="submit">Open gift</button>
      </form>`
  })
