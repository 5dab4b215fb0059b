import { Effect, Option } from "effect"
import { orBusy } from "../paying/busyVerifier.ts"
import { makeFollowsFrontier, sendsExactly } from "../paying/ledgerChecks.ts"
import { lookingAgain } from "../paying/lookAgain.ts"
import { settledOf } from "../paying/settled.ts"
import type { CheckedQuote } from "../quotes/Quotes.ts"
import { Settlements } from "../settlement/Settlements.ts"
import { type CheckedBlock, makeCheckBlock } from "../x402/checkBlock.ts"
import { workRule } from "../x402/workRule.ts"
import { makeOtherOf, ownOf } from "./bought.ts"
import { type Order, targetOf } from "./order.ts"
import { makeOrderChecks } from "./orderChecks.ts"

/**
 * Makes the purchase of a Post by a payment. The rules are listed in the order in which they apply: first those that
 * need no ledger, and the signature before anything that is looked up by the wallet. Up to the claim, a refusal costs
 * the payer nothing, because the block was not sent. A claim is carried through, whatever becomes of the request.
 */
export const makeBuyPost = Effect.gen(function* () {
  const settlements = yield* Settlements
  const checks = yield* makeOrderChecks
  const otherOf = yield* makeOtherOf
  const checkBlock = yield* makeCheckBlock
  const followsFrontier = yield* makeFollowsFrontier
  const work = yield* workRule

  /** Rules 13 to 20: earlier payments, the ledger, the claim and the broadcast. */
  const settle = Effect.fnUntraced(function* (order: Order, quote: CheckedQuote, block: CheckedBlock) {
    const earlier = yield* settlements.earlier(targetOf(order), {
      blockHash: block.hash,
      payerKey: block.payerKey,
      buyerId: order.buyerId
    })
    yield* checks.isUnused(order, block, earlier.byBlock) // 13
    const underWay = Option.orElse(earlier.settlingByOwner, () => earlier.settlingByWallet) // 14
    if (Option.isSome(underWay)) {
      yield* checks.isUnsent(block)
      return yield* otherOf(order, underWay.value.id)
    }
    const account = yield* followsFrontier(block) // 15
    const owned = Option.orElse(earlier.settledByOwner, () => earlier.settledByWallet) // 16
    if (Option.isSome(owned)) return yield* otherOf(order, owned.value.id)
    yield* sendsExactly(block, quote.amountRaw, account) // 17
    // The statement that found the Post for sale read the whole Post, and the claim keeps it unchanged.
    yield* checks.file(order) // 18
    const claimed = yield* checks.claim(order, quote, block) // 19
    return ownOf(yield* settledOf(yield* settlements.carryThrough(claimed.id))) // 20
  })

  const replay = (order: Order) => Effect.map(checks.replay(order), Option.map(ownOf))

  /** Rules 9 to 20. */
  const pay = Effect.fnUntraced(function* (order: Order, quote: CheckedQuote) {
    const { client, payment } = order
    const block = yield* checkBlock({ ...payment, client }, quote, work) // 9, 10, 11, 12
    yield* checks.countWallet(block)
    return yield* lookingAgain(settle(order, quote, block), replay(order)) // 13 to 20
  })

  /** Follows the purchase that is under way for the owner, from whatever wallet. When it is refused, this one goes on. */
  const underWayOf = (order: Order) =>
    order.post.pending_of_owner === null
      ? Effect.undefined
      : Effect.catchTag(otherOf(order, order.post.pending_of_owner), "LookAgain", () => Effect.undefined)

  return {
    checkIdentifier: checks.identifier,

    /** Returns the purchase by which the payer reads. */
    buy: Effect.fn("buyPost")(function* (order: Order) {
      yield* checks.identifier(order) // 2
      const repeated = yield* replay(order) // 3
      if (Option.isSome(repeated)) return repeated.value
      yield* checks.countPayment(order)
      const quote = yield* checks.quote(order) // 4, 5, 6
      yield* checks.sale(order, quote) // 7
      const own = yield* underWayOf(order) // 8
      if (own !== undefined) return own
      return yield* orBusy(pay(order, quote), replay(order))
    })
  }
})
