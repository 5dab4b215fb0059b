import { outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { payoutForm } from "../payout/payoutPage.ts"
import type { AccountView } from "./accountView.ts"
import { browserSection } from "./browserSection.ts"
import { emailSection } from "./emailSection.ts"
import { keySection } from "./keySection.ts"
import { walletSection } from "./walletSection.ts"

const payoutSection = ({ me: { payout } }: AccountView): Html =>
  html`<section class="files" aria-labelledby="payout">
    <h2 class="label" id="payout">Payout address</h2>
    <p>
      ${
        payout.payoutAddress === null
          ? "You have none yet, so you can't publish."
          : html`Everything that readers pay goes straight to <code>${payout.payoutAddress}</code>. A change
              counts for new payments only.`
      }
    </p>
    ${payoutForm({ back: ACCOUNT, address: payout.payoutAddress ?? "", revision: String(payout.revision) })}
  </section>`

/** Returns the page with what an owner signs in with, is paid at, and lets programs use. */
export const accountPage = (view: AccountView): Page =>
  formPage({
    title: "Your account",
    content: html`${deskMenu(ACCOUNT, view.isModerator)}${view.told !== null && outcome(view.told)}${payoutSection(view)}${keySection(view)}${browserSection(view)}${emailSection(view)}${walletSection(view)}`
  })
