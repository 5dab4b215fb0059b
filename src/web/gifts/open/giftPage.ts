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
    kicker: "A gift",
    heading: html`Something to read, paid for you`,
    content: html`<p class="lede">
        Open it when you want to read: the text then stays in this browser, without an account.
      </p>
      <form class="fields" method="post" action="/gift">
        ${hidden("key", key)}${field({
          name: "token",
          label: "Gift code",
          hint: "It is the part of your link behind the # sign.",
          wrong:
            isRefused && "This is not the code of a gift. Copy the whole part of the link behind the # sign.",
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
        })}<button class="button" type="submit">Open the gift</button>
      </form>`
  })
