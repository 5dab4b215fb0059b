import { Effect, Option } from "effect"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import { LookAgain } from "../paying/lookAgain.ts"
import { pendingOf } from "../paying/settled.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import { Settlements } from "../settlement/Settlements.ts"
import type { Bought, Order } from "./order.ts"

/** Returns the purchase of a settlement that this request, or an earlier one with the same quote, has claimed. */
export const ownOf = ({ id: settlementId, purchaseId }: Settlement): Bought => ({
  settlementId,
  purchaseId,
  charged: true
})

/**
 * Makes the function that completes an order whose payer reads by another purchase: nothing is sent for this payment.
 * The payer gets a receipt for the quote of this request, and an account gets what its wallet bought without one.
 */
export const makeOtherOf = Effect.gen(function* () {
  const settlements = yield* Settlements
  const receipts = yield* Receipts

  return Effect.fnUntraced(function* (order: Order, id: SettlementId) {
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
})
