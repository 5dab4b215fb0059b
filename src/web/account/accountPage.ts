import { outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { day } from "../pages/parts/values.ts"
import { payoutForm } from "../payout/payoutPage.ts"
import { type AccountView, stateOf } from "./accountView.ts"
import { browserSection } from "./browserSection.ts"
import { deletionSection } from "./deletionSection.ts"
import { emailSection } from "./emailSection.ts"
import { exportSection } from "./exportSection.ts"
import { keySection } from "./keySection.ts"
import { walletSection } from "./walletSection.ts"

const past = ({ pastAddresses }: AccountView): Html | false =>
  pastAddresses.length > 0 &&
  html`<details>
    <summary>Former addresses</summary>
    <p class="hint">Payments that were under way may still have reached them.</p>
    <ul>
      ${pastAddresses.map(({ address, until }) => html`<li><code>${address}</code> <span class="size">${until !== null && html`until ${day(until, "en")}`}</span></li>`)}
    </ul>
  </details>`

const payoutSection = (view: AccountView): Html => {
  const { payout } = view.me
  const { value, wrong } = stateOf(view, "address", payout.payoutAddress ?? "")
  return html`<section class="files" aria-labelledby="payout">
    <h2 class="label" id="payout">Payout address</h2>
    <p>
      ${
        payout.payoutAddress === null
          ? "You don't have one yet. You need it to publish."
          : html`Everything that readers pay goes straight to <code>${payout.payoutAddress}</code>. Changes
              only affect new payments.`
      }
    </p>
    ${payoutForm({
      action: `${ACCOUNT}/payout`,
      back: ACCOUNT,
      address: value,
      revision: String(payout.revision),
      wrong
    })}${past(view)}
  </section>`
}

/** Returns the page with what an owner signs in with, is paid at, and lets programs use. */
export const accountPage = (view: AccountView): Page =>
  formPage({
    title: "Your account",
    content: html`${deskMenu(ACCOUNT, view.isModerator)}${view.told !== null && outcome(view.told)}${payoutSection(view)}${keySection(view)}${browserSection(view)}${emailSection(view)}${walletSection(view)}${exportSection}${deletionSection()}`
  })
