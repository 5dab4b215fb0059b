import type {
  PaymentSession,
  PaymentSessionState
} from "../../../schemas/payments/sessions/PaymentSession.ts"
import type { Html } from "../../platform/pages/html.ts"
import { dayOf } from "../../platform/pages/language.ts"

/** The subject of a payment as its page names it. */
interface Subject {
  readonly title: string
  readonly url: string
}

/** A checkout as its page shows it. */
export interface CheckoutView {
  readonly path: string
  readonly session: PaymentSession
  /** The Post or the author; null if it is no longer public. */
  readonly subject: Subject | null
  /** The author of a tip that is for no Post; null for any other payment. */
  readonly handle: string | null
  /** The code that wallets read. */
  readonly qr: Html
  /** True if the browser reloads the page by itself, because its reader asked for it. */
  readonly isRefreshing: boolean
  /** True with the development ledger, whose money has no value. */
  readonly hasTestMoney: boolean
}

/** Returns a moment of a day, in UTC. */
export const clockTimeOf = (moment: string): string => `${moment.slice(11, 16)} UTC`

/** Returns true while a payment is expected, or on its way. */
export const isWaiting = (state: PaymentSessionState): boolean => state === "open" || state === "seen"

/** Returns a sentence about the state of a checkout: what happened to the money. */
export const sentenceOf = ({ kind, lateUntil, state }: PaymentSession): string => {
  const late = `Money that you have already sent still counts until ${dayOf(lateUntil, "en")}, ${clockTimeOf(lateUntil)}.`
  switch (state) {
    case "open":
      return "Waiting. This page continues by itself, usually within a second of the payment."
    case "seen":
      return "Your payment has arrived. The network confirms it now: send nothing more."
    case "paid":
      return kind === "tip" ? "Your tip has arrived." : "Paid. The text opens now."
    case "expired":
      return `The time for this payment is over. ${late}`
    case "cancelled":
      return `You cancelled this payment. ${late}`
    case "closed":
      return "This payment is over. Send nothing to its address any more: it would not be matched."
  }
}
