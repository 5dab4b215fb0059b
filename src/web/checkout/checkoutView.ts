import type {
  PaymentSession,
  PaymentSessionState
} from "../../../schemas/payments/sessions/PaymentSession.ts"
import type { Html } from "../../platform/pages/html.ts"
import { dayOf } from "../../platform/pages/language.ts"
import type { Person } from "../pages/parts/people.ts"

/** The subject of a payment as its page names it. */
interface Subject {
  readonly title: string
  readonly url: string
  readonly author: Person
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
  /** The amount in another currency, in words; null without a rate. */
  readonly about: string | null
  /** True if the browser reloads the page by itself, because its reader asked for it. */
  readonly isRefreshing: boolean
  /** True for a signed-in payer who has not yet chosen whether lists of supporters show them. */
  readonly isAskedForName: boolean
  /** True with the development ledger, whose money has no value. */
  readonly hasTestMoney: boolean
}

/** Returns a moment of a day, in UTC. */
export const clockTimeOf = (moment: string): string => `${moment.slice(11, 16)} UTC`

/** Returns true while a payment is expected, or on its way. */
export const isWaiting = (state: PaymentSessionState): boolean => state === "open" || state === "seen"

/** Returns a sentence about the state of a checkout: what happened to the money. */
export const sentenceOf = ({ kind, lateUntil, state }: PaymentSession): string => {
  const late = `If you already sent the money, it still counts until ${dayOf(lateUntil, "en")}, ${clockTimeOf(lateUntil)}.`
  switch (state) {
    case "open":
      return "Waiting for your payment. This page continues on its own, usually within a second."
    case "seen":
      return "Your payment has arrived and is being confirmed. Don't send anything else."
    case "paid":
      return kind === "tip" ? "Your tip has arrived." : "Paid. Your post is opening."
    case "expired":
      return `This payment request has expired. ${late}`
    case "cancelled":
      return `You cancelled this payment. ${late}`
    case "closed":
      return "This payment request is closed. Don't send anything to its address: we couldn't match it."
  }
}
