import { Effect, Option } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { orBusy } from "../paying/busyVerifier.ts"
import { makeFollowsFrontier, sendsExactly } from "../paying/ledgerChecks.ts"
import { lookingAgain } from "../paying/lookAgain.ts"
import { makePaymentChecks } from "../paying/paymentChecks.ts"
import { changed } from "../paying/refusals.ts"
import { settledOf } from "../paying/settled.ts"
import { type CheckedQuote, Quotes } from "../quotes/Quotes.ts"
import { Settlements } from "../settlement/Settlements.ts"
import { type CheckedBlock, makeCheckBlock } from "../x402/checkBlock.ts"
import type { Payment } from "../x402/readPayment.ts"
import { workRule } from "../x402/workRule.ts"
import { type TipTarget, TipTargets } from "./TipTargets.ts"

/** A payment of a tip, by an account or a wallet alone. */
export interface TipOrder {
  readonly target: TipTarget
  readonly amountRaw: bigint
  readonly payment: Payment
  readonly payerId: OwnerId | null
  /** The URL of the tips of the target. */
  readonly url: string
  /** The address by which payments are limited. */
  readonly client: string
}

/**
 * Makes the payment of a tip, in the order of the rules of a purchase. An account may tip as often as it likes: only an
 * identical tip of one wallet that is still settling is the same tip.
 */
export const makePayTip = Effect.gen(function* () {
  const settlements = yield* Settlements
  const quotes = yield* Quotes
  const payments = yield* makePaymentChecks
  const targets = yield* TipTargets
  const { consume } = yield* RateLimits
  const checkBlock = yield* makeCheckBlock
  const followsFrontier = yield* makeFollowsFrontier
  const work = yield* workRule

  /** Rules 13 to 20: earlier payments, the ledger, the claim and the broadcast. */
  const settle = Effect.fnUntraced(function* (order: TipOrder, quote: CheckedQuote, block: CheckedBlock) {
    const { blockHash, payerKey } = { blockHash: block.hash, payerKey: block.payerKey }
    const { amountRaw, payerId: buyerId, target } = order
    const earlier = yield* settlements.earlier(target, { blockHash, payerKey, buyerId, amountRaw })
    yield* payments.isUnused(target, block, earlier.byBlock)
    if (Option.isSome(earlier.settlingByWallet)) {
      yield* payments.isUnsent(block)
      return yield* settledOf(yield* settlements.awaitEnd(earlier.settlingByWallet.value.id))
    }
    const account = yield* followsFrontier(block)
    yield* sendsExactly(block, quote.amountRaw, account)
    const { payment } = order
    const withdrawn = () => new NotFound()
    const claimed = yield* payments.claim({
      target,
      payment,
      quote,
      block,
      buyerId,
      receiptHash: null,
      withdrawn
    })
    return yield* settledOf(yield* settlements.carryThrough(claimed.id))
  })

  const pay = Effect.fnUntraced(function* (order: TipOrder, quote: CheckedQuote) {
    const { client, payment, target } = order
    const block = yield* checkBlock({ ...payment, client }, quote, work)
    yield* consume("payment-wallet", block.payerKey)
    return yield* lookingAgain(settle(order, quote, block), payments.replay(target, payment))
  })

  /** Returns the settled tip of a payment. A repeat gets the same one, whatever became of its target. */
  return Effect.fn("payTip")(function* (order: TipOrder) {
    const { amountRaw, client, payerId, payment, target, url } = order
    yield* payments.identifier(target, payment)
    const repeated = yield* payments.replay(target, payment)
    if (Option.isSome(repeated)) return repeated.value
    yield* targets.check(target, payerId)
    yield* consume("payment", client)
    const quote = yield* quotes.check(target, payment.accepted, [url], payment.resource)
    if (quote.amountRaw !== amountRaw) return yield* changed
    return yield* orBusy(pay(order, quote), payments.replay(target, payment))
  })
})
