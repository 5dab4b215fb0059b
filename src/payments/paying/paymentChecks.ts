import { Effect, Option } from "effect"
import { PaymentIdentifierConflict, type PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import type { OwnerId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { isSameFingerprint } from "../../platform/idempotency/fingerprint.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import type { CheckedQuote } from "../quotes/Quotes.ts"
import { isSameTarget, type PaymentTarget } from "../settlement/PaymentTarget.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import { Settlements } from "../settlement/Settlements.ts"
import { type CheckedBlock, hashOfSent } from "../x402/checkBlock.ts"
import type { Payment } from "../x402/readPayment.ts"
import { LookAgain } from "./lookAgain.ts"
import { changed, refuse } from "./refusals.ts"
import { pendingOf, settledOf } from "./settled.ts"

/** A payment whose quote and block have passed their checks. */
interface CheckedPayment<Withdrawn> {
  readonly target: PaymentTarget
  /** The file for which a Post is bought. */
  readonly fileId?: UploadOperationId | undefined
  readonly payment: Payment
  readonly quote: CheckedQuote
  readonly block: CheckedBlock
  /** The account that pays; null for a wallet alone. */
  readonly buyerId: OwnerId | null
  /** SHA-256 of the receipt that the payer gets; null without one. */
  readonly receiptHash: Uint8Array | null
  /** Returns the error of a target that was withdrawn meanwhile. */
  readonly withdrawn: () => Withdrawn
}

/** Makes the checks that apply to every payment. */
export const makePaymentChecks = Effect.gen(function* () {
  const settlements = yield* Settlements
  const ledger = yield* NanoLedger

  return {
    /** Refuses a payment whose identifier names another one for this target. */
    identifier: Effect.fnUntraced(function* (target: PaymentTarget, payment: Payment) {
      const { payloadHash, paymentIdentifier } = payment
      if (paymentIdentifier === null) return
      const known = yield* settlements.ofIdentifier(target, paymentIdentifier)
      if (Option.isNone(known)) return
      const { payloadHash: first } = known.value
      if (first === null || !isSameFingerprint(first, payloadHash))
        return yield* new PaymentIdentifierConflict()
    }),

    /**
     * Returns the settled payment that this one repeats: that of its quote, whatever block came along. A payment that the
     * ledger refused for good is refused again, each time that it is repeated.
     */
    replay: Effect.fnUntraced(function* (target: PaymentTarget, payment: Payment) {
      const { block, payloadHash, quoteHash } = payment
      if (Option.isNone(quoteHash)) return Option.none<Settlement>()
      const blockHash = hashOfSent(block)
      const known = yield* settlements.ofQuote(target, quoteHash.value, { blockHash, payloadHash })
      if (Option.isNone(known)) return Option.none<Settlement>()
      const { id, state } = known.value
      const isEnded = state === "settled" || state === "refused"
      return Option.some(yield* settledOf(isEnded ? known.value : yield* settlements.awaitEnd(id)))
    }),

    /**
     * Refuses a block that already pays for something. A block is public once it is sent, so it proves nothing under
     * another quote than its own. Its payer signs anew, and is known again by that. A block that is still settling for
     * the same target may be that of a twin of this request.
     */
    isUnused: Effect.fnUntraced(function* (
      target: PaymentTarget,
      block: CheckedBlock,
      known: Option.Option<Settlement>
    ) {
      if (Option.isNone(known)) return
      return yield* isSameTarget(known.value.target, target) && known.value.state !== "settled"
        ? Effect.fail(new LookAgain(pendingOf(known.value)))
        : refuse("block_already_used", block)
    }),

    /** Refuses a block that the ledger knows: only a block that was never sent proves its wallet. */
    isUnsent: Effect.fnUntraced(function* (block: CheckedBlock) {
      if (Option.isSome(yield* ledger.block(block.hash))) return yield* refuse("block_already_exists", block)
    }),

    /** Claims the target: from here on the block is sent, by this process or by another. */
    claim: <Withdrawn>({
      block,
      buyerId,
      fileId,
      payment,
      quote,
      receiptHash,
      target,
      withdrawn
    }: CheckedPayment<Withdrawn>) =>
      Effect.catch(
        settlements.claim({
          target,
          fileId,
          quoteHash: quote.quoteHash,
          payloadHash: payment.payloadHash,
          paymentIdentifier: payment.paymentIdentifier,
          block,
          amountRaw: quote.amountRaw,
          payTo: quote.payTo,
          buyerId,
          receiptHash
        }),
        ({ reason }): Effect.Effect<never, PaymentRefused | LookAgain | Withdrawn> => {
          switch (reason) {
            case "withdrawn":
              return Effect.fail(withdrawn())
            case "previous_in_flight":
              return refuse("previous_in_flight", block)
            case "terms_changed":
            case "free":
              return Effect.fail(changed)
            case "already":
              return Effect.fail(new LookAgain(changed))
          }
        }
      )
  }
})
