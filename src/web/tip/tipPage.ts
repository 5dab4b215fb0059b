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
  /** The Post or Comment that the tip is for, with the title of the Post; null for the author alone. */
  readonly of: {
    readonly name: "commentId" | "postId"
    readonly id: string
    readonly title: string
    readonly url: string
  } | null
  /** An amount that was refused, and the reason. */
  readonly refused?: { readonly amount: string; readonly sentence: string } | undefined
}

/** Returns the page on which a reader chooses a tip. */
export const tipPage = ({ amounts, handle, label, name, of, refused }: TipView): Page => {
  const target = of === null ? hidden("handle", handle) : hidden(of.name, of.id)
  const form = html`${hidden("kind", "tip")}${target}`
  return {
    title: `Tip ${name}`,
    isIndexed: false,
    main: html`<div class="checkout">
      <p class="kicker"><bdi>${label}</bdi></p>
      <h1>Tip <bdi>${name}</bdi></h1>
      ${
        of !== null &&
        html`<p class="lede">
          for ${of.name === "commentId" && html`<a href="${of.url}">a comment</a> on`}
          “${of.name === "postId" ? html`<a href="${of.url}"><bdi>${of.title}</bdi></a>` : html`<bdi>${of.title}</bdi>`}”
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
          wrong: refused?.sentence,
          control: ({ by, isInvalid }) =>
            html`<input
              id="amount"
              name="amountXno"
              type="text"
              inputmode="decimal"
              required
              maxlength="80"
              autocomplete="off"
              value="${refused?.amount}"
              aria-describedby="${by}"
              aria-invalid="${isInvalid}"
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
