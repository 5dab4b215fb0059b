import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, messagePage } from "../../platform/pages/messagePage.ts"

/** Pages for payments that cannot begin. No money was sent for any of them. */
export const refusedCheckout = {
  off: messagePage({
    title: "Nothing is sold here",
    said: "This service takes no payments. Free Posts and earlier purchases can still be read.",
    more: buttonTo("/", "Go to the newest Posts")
  }),
  own: messagePage({
    title: "This is your own",
    said: "You would pay yourself, so no payment was requested."
  }),
  unpayable: messagePage({
    title: "This author takes no tips yet",
    said: "The author has set no address for payments, so no payment was requested."
  }),
  otherBrowser: messagePage({
    title: "This payment belongs to another browser",
    said: "Only the browser that started a payment shows it. You can pay from any device with the QR code there, and the text opens in that browser.",
    more: html`<p class="note">
      Cookies of this browser may have been deleted, too. Money that was sent still counts.
    </p>`
  })
}

/** Tells a reader of an amount that no tip can have. */
export const wrongTip = (said: string): Page =>
  messagePage({
    title: "This tip cannot be sent",
    said,
    more: html`<p class="note">Go back, and change it. Nothing was paid.</p>`
  })
