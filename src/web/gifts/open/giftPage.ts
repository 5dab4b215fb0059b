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

/** Returns the page that opens a gift. Its token stays in the fragment of the address until the reader presses the button. */
export const giftPage = ({ isRefused, key }: GiftView): Page =>
  formPage({
    title: "A gift for you",
    kicker: "Gift",
    heading: html`Someone paid for your next read`,
    content: html`<p class="lede">
        Open it when you want to read. The post then stays unlocked in this browser, no account needed.
      </p>
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
