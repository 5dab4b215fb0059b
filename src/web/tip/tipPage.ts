import { field, hidden } from "../../platform/pages/fields.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { authorPath } from "../pages/parts/people.ts"

/** A choice of tips. */
interface TipView {
  readonly name: string
  readonly handle: string
  /** The author's own words on the button. */
  readonly label: string
  /** Amounts in XNO that the author suggests. */
  readonly amounts: ReadonlyArray<number>
  /** The Post that the tip is for; null for the author alone. */
  readonly post: { readonly id: string; readonly title: string; readonly url: string } | null
}

/** Returns the page on which a reader chooses a tip. */
export const tipPage = ({ amounts, handle, label, name, post }: TipView): Page => {
  const of = post === null ? hidden("handle", handle) : hidden("postId", post.id)
  const form = html`${hidden("kind", "tip")}${of}`
  return {
    title: `Tip ${name}`,
    isIndexed: false,
    main: html`<div class="checkout">
      <p class="kicker"><bdi>${label}</bdi></p>
      <h1>Tip <bdi>${name}</bdi></h1>
      ${
        post !== null &&
        html`<p class="lede">
          for “<a href="${post.url}"><bdi>${post.title}</bdi></a
          >”
        </p>`
      }
      <form class="amounts" method="post" action="/pay">
        ${form}${[...new Set(amounts)].map((amount) => html`<button class="button quiet" type="submit" name="amountXno" value="${amount}">${amount} XNO</button>`)}
      </form>
      <form class="fields" method="post" action="/pay">
        ${form}
        ${field({
          name: "amount",
          label: "Other amount in XNO",
          hint: "0.00001 to 9999, up to 6 decimals.",
          control: ({ by }) =>
            html`<input
              id="amount"
              name="amountXno"
              type="text"
              inputmode="decimal"
              required
              maxlength="20"
              autocomplete="off"
              aria-describedby="${by}"
            />`
        })}<button class="button" type="submit">Tip</button>
      </form>
      <p class="note">
        All of it goes to <a href="${authorPath(handle)}"><bdi>${name}</bdi></a
        >. No fees, no account needed.
      </p>
    </div>`
  }
}
