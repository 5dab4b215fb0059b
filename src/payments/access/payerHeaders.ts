import { Effect, Option, Result, Schema } from "effect"
import type { PostAccess } from "../../../schemas/payments/access/Access.ts"
import type { SettlementResponse } from "../../../schemas/payments/x402/SettlementResponse.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { setRetryAfter } from "../../platform/rate-limits/http.ts"
import { demandPayment, tellOutcome } from "../x402/http.ts"
import type { AccessRefusal, ShownPayment } from "./Access.ts"

/** Reasons by which payers know refusals: the codes of their answers. */
const reasons: Readonly<Record<AccessRefusal["_tag"], string>> = {
  GiftInvalid: "gift_invalid",
  InvalidPayload: "invalid_payload",
  InvalidX402Version: "invalid_x402_version",
  LedgerAway: "ledger_unavailable",
  NotFound: "not_found",
  PaymentIdentifierConflict: "payment_identifier_conflict",
  PaymentRequired: "payment_required",
  PaymentsDisabled: "payments_disabled",
  PostWithdrawn: "post_withdrawn",
  RateLimited: "rate_limited",
  ReceiptInvalid: "receipt_invalid",
  SettlementPending: "settlement_pending"
}

const decodeAddress = Schema.decodeUnknownOption(NanoAddress)

/** Returns the account of the block that came along. */
const payerOf = (payment: ShownPayment) =>
  Option.flatMap(Result.getSuccess(payment), ({ block }) => decodeAddress(block["account"]))

const outcomeOf = (error: AccessRefusal, payment: ShownPayment, network: string): SettlementResponse => ({
  success: false,
  errorReason: error._tag === "PaymentRequired" ? error.terms.error : reasons[error._tag],
  transaction: error._tag === "SettlementPending" ? error.transaction : "",
  network,
  ...Option.match(payerOf(payment), { onNone: () => ({}), onSome: (payer) => ({ payer }) })
})

/** Adds the headers that payers read: the terms of a 402, the outcome of a payment, and the seconds to wait. */
export const tellingPayer = <R>(
  answer: Effect.Effect<PostAccess, AccessRefusal, R>,
  payment: ShownPayment | undefined,
  network: string
) =>
  answer.pipe(
    Effect.tap(({ settlement }) => (settlement === null ? Effect.void : tellOutcome(settlement))),
    Effect.tapError((error) =>
      payment === undefined ? Effect.void : tellOutcome(outcomeOf(error, payment, network))
    ),
    Effect.tapError((error) => (error._tag === "SettlementPending" ? setRetryAfter(error) : Effect.void)),
    Effect.catchTag("PaymentRequired", demandPayment)
  )
