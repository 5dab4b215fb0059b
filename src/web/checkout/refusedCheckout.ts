import { html } from "../../platform/pages/html.ts"
import { buttonTo, messagePage } from "../../platform/pages/messagePage.ts"

/** Pages for payments that cannot begin. No money was sent for any of them. */
export const refusedCheckout = {
  off: messagePage({
    title: "Payments are turned off",
    said: "This site doesn't take payments. You can still read free posts and what you already bought.",
    more: buttonTo("/", "See the newest posts")
  }),
  own: messagePage({
    title: "This one is yours",
    said: "You would be paying yourself, so we didn't create a payment."
  }),
  unpayable: messagePage({
    title: "This author can't take tips yet",
    said: "They haven't added a payout address, so we didn't create a payment."
  }),
  otherBrowser: messagePage({
    title: "This payment was started in another browser",
    said: "Go back to the browser where you started it. You can pay from any device with the QR code there, and the post opens in that browser.",
    more: html`<p class="note">Or this browser's cookies were deleted. Money you sent still counts.</p>`
  })
}
