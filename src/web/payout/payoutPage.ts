import { field, hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"

/** Returns the path of the page on which an author saves the payout address, and goes back from there. */
export const payoutPath = (back: string): string => `/payout?back=${encodeURIComponent(back)}`

interface PayoutForm {
  readonly back: string
  readonly address: string
  /** Counts the changes of the address, so that a change in another tab is not overwritten. */
  readonly revision: string
  readonly wrong?: string | undefined
  /** The path that takes the form. */
  readonly action?: string
  /** False when another part of the page has the focus. */
  readonly isFocused?: boolean
}

/** The form that says where the income of an author goes. */
export const payoutForm = ({
  action = "/payout",
  address,
  back,
  isFocused = true,
  revision,
  wrong
}: PayoutForm): Html =>
  html`<form class="fields" method="post" action="${action}">
    ${hidden("back", back)}${hidden("revision", revision)}${field({
      name: "address",
      label: "Nano address",
      hint: "It starts with nano_. You'll find it in your wallet under “Receive”.",
      wrong,
      isFocused,
      control: ({ by, isInvalid }) =>
        html`<input
          id="address"
          name="address"
          type="text"
          required
          maxlength="200"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          value="${address}"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        />`
    })}<button class="button" type="submit">Save</button>
  </form>`

interface PayoutView extends PayoutForm {
  /** A sentence about what happened; it has the focus. */
  readonly told?: Html | string | undefined
}

/** Returns the page on which an author says where their income goes. */
export const payoutPage = ({ told, ...form }: PayoutView): Page =>
  formPage({
    title: "Payout address",
    content: html`${told !== undefined && outcome(told)}
      <p class="lede">
        Everything that readers pay goes straight to this address. We never hold it. Changes only affect new
        payments.
      </p>
      ${payoutForm({ ...form, isFocused: told === undefined })}
      <p class="note"><a href="${form.back}">Not now</a></p>`
  })
