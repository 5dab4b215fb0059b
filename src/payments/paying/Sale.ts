import type { Effect } from "effect"
import { PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import type { OwnerId, SettlementId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { CheckedQuote } from "../quotes/Quotes.ts"
import type { PaymentTarget } from "../settlement/PaymentTarget.ts"
import type { Payment } from "../x402/readPayment.ts"

/** The terms are not those of the quote any more. The 402 that answers it has those of today. */
export const changed = new PaymentRefused({ code: "requirements_changed" })

/** A thing that is sold: a Post, a Post for one of its files, or a tip. */
export interface Sale<Refusal> {
  readonly target: PaymentTarget
  /** The file for which a Post is sold. The claim finds it on the Post, or is refused. */
  readonly fileId?: UploadOperationId | undefined
  /** The URLs by which a payer may name the thing. */
  readonly urls: ReadonlyArray<string>
  /** The payment of the account that is under way for the thing; null without one. */
  readonly pendingOfOwner: SettlementId | null
  /** Checks that the thing is sold on the terms of a quote. The claim checks the same once more. */
  readonly isSold: (quote: CheckedQuote) => Effect.Effect<void, Refusal | PaymentRefused>
  /** Checks that the payer would get everything that they pay for. */
  readonly isReady: Effect.Effect<void, Refusal | PaymentRefused>
  /** Returns the error of a thing that was withdrawn before the claim. */
  readonly withdrawn: () => Refusal
}

/** A payment for a thing that is sold, by an account or by a wallet alone. */
export interface Order<Refusal> {
  readonly sale: Sale<Refusal>
  readonly payment: Payment
  readonly buyerId: OwnerId | null
  /** The address by which payments are limited. */
  readonly client: string
}
