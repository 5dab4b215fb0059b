import { Effect, Option } from "effect"
import { PaymentRefused, SettlementPending } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import { Settlements } from "../settlement/Settlements.ts"
import { type Bought, type Order, targetOf } from "./order.ts"

/** Seconds after which a payer repeats a request whose payment is not confirmed yet. */
const RETRY_AFTER_SECONDS = 2

/** A twin of this request may have been faster. `otherwise` is the answer when there is none. */
export class LookAgain {
  readonly _tag = "LookAgain"
  readonly otherwise: PaymentRefused | SettlementPending
  constructor(otherwise: PaymentRefused | SettlementPending) {
    this.otherwise = otherwise
  }
}

/** Refusals that a twin of this request causes when it sends the same block in between. */
const TWIN_CODES: ReadonlySet<PaymentRefusalCode> = new Set([
  "block_already_exists",
  "block_already_used",
  "frontier_moved",
  "previous_in_flight"
])

/** Returns the reason to look again of a refusal that a twin may have caused, and other errors as they are. */
export const suspectTwin = <E>(error: E): E | LookAgain =>
  error instanceof PaymentRefused && TWIN_CODES.has(error.code) ? new LookAgain(error) : error

/** Returns the error of a payment that was accepted and whose end is not known yet. */
export const pendingOf = ({ blockHash }: Pick<Settlement, "blockHash">) =>
  new SettlementPending({ transaction: blockHash, retryAfterSeconds: RETRY_AFTER_SECONDS })

const refusalOf = ({ code, payerKey }: Settlement) =>
  new PaymentRefused({
    // A settlement is refused for one of the reasons of a 402.
    code: (code ?? "fork") as PaymentRefusalCode,
    payer: addressOfPublicKey(payerKey)
  })

/** Makes the ends of orders: what a settlement means for the payer who meets it. */
export const makeOutcomes = Effect.gen(function* () {
  const settlements = yield* Settlements
  const receipts = yield* Receipts

  /** Returns the purchase of a settlement that this request, or an earlier one with the same quote, has claimed. */
  const ofOwn = Effect.fnUntraced(function* (settlement: Settlement) {
    const { id: settlementId, purchaseId, state } = settlement
    if (state === "refused") return yield* refusalOf(settlement)
    if (state !== "settled") return yield* pendingOf(settlement)
    const bought: Bought = { settlementId, purchaseId, charged: true }
    return bought
  })

  return {
    ofOwn,

    /** Returns the purchase that this request repeats: that of its quote, whatever block came along. */
    replay: Effect.fnUntraced(function* (order: Order) {
      if (Option.isNone(order.payment.quoteHash)) return Option.none<Bought>()
      const known = yield* settlements.ofQuote(targetOf(order), order.payment.quoteHash.value)
      if (Option.isNone(known)) return Option.none<Bought>()
      const isEnded = known.value.state === "settled"
      return Option.some(yield* ofOwn(isEnded ? known.value : yield* settlements.awaitEnd(known.value.id)))
    }),

    /**
     * Returns another purchase by which the payer reads: nothing is sent for this payment. The payer gets a receipt for the
     * quote of this request, and an account gets what its wallet bought without one.
     */
    ofOther: Effect.fnUntraced(function* (order: Order, id: SettlementId) {
      const other = yield* settlements.awaitEnd(id)
      if (other.state === "refused") return yield* Effect.fail(new LookAgain(pendingOf(other)))
      if (other.state !== "settled") return yield* pendingOf(other)
      const { purchaseId } = other
      if (purchaseId !== null) {
        if (order.buyerId !== null && other.buyerId === null)
          yield* settlements.adopt(purchaseId, order.buyerId)
        yield* Effect.forEach(Option.toArray(order.payment.quote), (quote) =>
          receipts.save({ tokenHash: receiptTokenOf(quote).tokenHash, postId: order.post.id, purchaseId })
        )
      }
      const bought: Bought = { settlementId: id, purchaseId, charged: false }
      return bought
    })
  }
})
