import type { FinanceSummary } from "../../../schemas/payments/finance/Finance.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { DESK } from "../browser/paths.ts"
import { counted } from "../pages/parts/values.ts"
import { payoutPath } from "../payout/payoutPage.ts"
import { xno } from "./salesAmounts.ts"

const isZero = (raw: string) => raw === "0"

const isBelowZero = (raw: string) => raw.startsWith("-")

const duplicates = ({ duplicates: { count, grossRaw } }: FinanceSummary): Html | false =>
  count > 0 &&
  html`<p class="note">
    ${counted(count, "second payment")} for posts the reader already had: ${xno(grossRaw)} XNO. They bought
    nothing and aren't in the totals above. You can send them back from your wallet.
  </p>`

const refunds = ({ refundedRaw }: FinanceSummary): Html | false =>
  !isZero(refundedRaw) &&
  html`<p class="note">
    You sent ${xno(refundedRaw)} XNO back as refunds. The totals above still include these sales.
  </p>`

const taken = ({ fee: { takenRaw } }: FinanceSummary): Html | false =>
  !isZero(takenRaw) &&
  html`<p class="note">
    Payments of ${xno(takenRaw)} XNO from these totals went to the platform for its fee.
  </p>`

const fees = ({ fee: { accruedRaw } }: FinanceSummary): Html | false => {
  if (isZero(accruedRaw)) return false
  return isBelowZero(accruedRaw)
    ? html`<p class="note">
        The platform has collected ${xno(accruedRaw.slice(1))} XNO more than its fee, as of today.
      </p>`
    : html`<p class="note">${xno(accruedRaw)} XNO of the fee are not collected yet, as of today.</p>`
}

const obligations = ({
  obligations: { blockedRaw, owedRaw },
  payout: { payoutAddress }
}: FinanceSummary): Html =>
  html`${!isZero(owedRaw) && html`<p class="note">The platform owes you ${xno(owedRaw)} XNO, and will send it to your payout address.</p>`}${
    !isZero(blockedRaw) &&
    html`<p class="note">
      The platform holds ${xno(blockedRaw)} XNO for you, and
      ${
        payoutAddress === null
          ? html`needs to know where to send it: <a href="${payoutPath(DESK)}">choose a payout address</a>.`
          : html`is waiting for you to confirm your payout address for it.`
      }
    </p>`
  }`

/** Says in words what the sums of sales and tips leave open. */
export const salesWords = (summary: FinanceSummary): Html =>
  html`${duplicates(summary)}${refunds(summary)}${taken(summary)}${fees(summary)}${obligations(summary)}`
