import { Effect, Option } from "effect"
import {
  PaymentIdentifierConflict,
  type PaymentRefused,
  SettlementPending
} from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import { RateLimited } from "../../../schemas/platform/errors/common.ts"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import { isSameFingerprint } from "../../platform/idempotency/fingerprint.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { type CheckedQuote, Quotes } from "../quotes/Quotes.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import { isSameTarget, type PaymentTarget } from "../settlement/PaymentTarget.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import { Settlements } from "../settlement/Settlements.ts"
import {
  type CheckedBlock,
  hashOfSent,
  makeCheckBlock,
  makeFollowsFrontier,
  refusalOf,
  sendsExactly
} from "../x402/checkBlock.ts"
import type { Payment } from "../x402/readPayment.ts"
import { workRule } from "../x402/workRule.ts"
import type { Order } from "./Sale.ts"
import { claimErrorOf, isSuspicion, mayHaveTwin, suspecting, TwinSuspected } from "./twins.ts"

/** Seconds after which a payer repeats a request whose outcome is not known, or whose signature found no place. */
const RETRY_AFTER_SECONDS = 2

/**
 * Maximum number of further tries after a twin of the request may have been faster. The first one finds the twin, because
 * its claim has committed.
 */
const TRIES_MAX = 2

/** Returns the error of a payment that was accepted, but whose outcome is not known yet. */
const pendingOf = ({ blockHash }: Settlement) =>
  new SettlementPending({ transaction: blockHash, retryAfterSeconds: RETRY_AFTER_SECONDS })

/** Returns a settled settlement. Fails with the payer's error for a settlement in another state. */
const settledOf = (settlement: Settlement): Effect.Effect<Settlement, PaymentRefused | SettlementPending> => {
  const { code, state } = settlement
  if (state === "settled") return Effect.succeed(settlement)
  // A settlement is refused for one of the reasons of a 402.
  if (state === "refused") return Effect.fail(refusalOf((code ?? "fork") as PaymentRefusalCode, settlement))
  return Effect.fail(pendingOf(settlement))
}

/**
 * Makes the payment of a thing that is sold. The rules are numbered in the order in which they apply: first those that
 * need no ledger, and the signature before anything that is looked up by the wallet. The first one, that a payment can be
 * read, is `readPayment`. Up to the claim, a refusal costs the payer nothing, because the block was not sent. A claim is
 * carried through, even if its request ends.
 */
export const makePayFor = Effect.gen(function* () {
  const settlements = yield* Settlements
  const quotes = yield* Quotes
  const receipts = yield* Receipts
  const ledger = yield* NanoLedger
  const { consume } = yield* RateLimits
  const checkBlock = yield* makeCheckBlock
  const followsFrontier = yield* makeFollowsFrontier
  const work = yield* workRule

  /** 2. Refuses a payment whose identifier names another one for this target. */
  const checkIdentifier = Effect.fnUntraced(function* (target: PaymentTarget, payment: Payment) {
    const { payloadHash, paymentIdentifier } = payment
    if (paymentIdentifier === null) return
    const known = yield* settlements.ofIdentifier(target, paymentIdentifier)
    if (Option.isNone(known)) return
    const { payloadHash: first } = known.value
    if (first === null || !isSameFingerprint(first, payloadHash))
      return yield* new PaymentIdentifierConflict()
  })

  /**
   * 3. Returns the settled payment that this one repeats: that of its quote, with any block. A payment that the
   * ledger refused for good is refused again, each time that it is repeated.
   */
  const repeated = Effect.fnUntraced(function* (target: PaymentTarget, payment: Payment) {
    const { block, payloadHash, quoteHash } = payment
    if (Option.isNone(quoteHash)) return Option.none<Settlement>()
    const blockHash = hashOfSent(block)
    const known = yield* settlements.ofQuote(target, quoteHash.value, { blockHash, payloadHash })
    if (Option.isNone(known)) return Option.none<Settlement>()
    const { id, state } = known.value
    const isEnded = state === "settled" || state === "refused"
    return Option.some(yield* settledOf(isEnded ? known.value : yield* settlements.awaitEnd(id)))
  })

  /** Returns the outcome of an identical request that came first. Fails with the error if there is none. */
  const orTwin = <Refusal, E>({ payment, sale }: Order<Refusal>, error: E) =>
    Effect.flatMap(
      repeated(sale.target, payment),
      Option.match({ onNone: () => Effect.fail(error), onSome: Effect.succeed })
    )

  /**
   * 8, 14, 16. Returns another payment by which the payer has the thing: the block of this one is not sent. The payer gets a
   * receipt for the quote of this request, and an account gets what its wallet bought without one.
   */
  const byOther = Effect.fnUntraced(function* (
    id: SettlementId,
    { buyerId, payment }: Pick<Order<unknown>, "buyerId" | "payment">
  ) {
    const other = yield* settlements.awaitEnd(id)
    const { buyerId: owner, purchaseId, target } = other
    // A refused purchase lets this one go on. An identical tip is the same tip, and is refused with it.
    if (other.state === "refused" && target.kind === "purchase")
      return yield* Effect.fail(new TwinSuspected(pendingOf(other)))
    const settlement = yield* settledOf(other)
    if (target.kind === "purchase" && purchaseId !== null) {
      if (buyerId !== null && owner === null) yield* settlements.adopt(purchaseId, buyerId)
      yield* Effect.forEach(Option.toArray(payment.quote), (quote) =>
        receipts.save({ tokenHash: receiptTokenOf(quote).tokenHash, postId: target.postId, purchaseId })
      )
    }
    return settlement
  })

  /** 13 to 20: earlier payments, the ledger, the claim and the broadcast. */
  const settle = Effect.fnUntraced(function* <Refusal>(
    order: Order<Refusal>,
    quote: CheckedQuote,
    block: CheckedBlock
  ) {
    const { buyerId, payment, sale } = order
    const { fileId, target } = sale
    const { amountRaw } = quote
    const { hash: blockHash, payerKey } = block
    const earlier = yield* settlements.earlier(target, { blockHash, payerKey, buyerId, amountRaw })
    // 13: a block is public once it is sent, so it proves nothing under another quote than its own.
    if (Option.isSome(earlier.byBlock)) {
      const { state, target: other } = earlier.byBlock.value
      return yield* isSameTarget(other, target) && state !== "settled"
        ? Effect.fail(new TwinSuspected(pendingOf(earlier.byBlock.value)))
        : refusalOf("block_already_used", block)
    }
    // 14: only a block that was never sent proves its wallet.
    if (Option.isSome(earlier.settling)) {
      if (Option.isSome(yield* ledger.block(blockHash)))
        return yield* refusalOf("block_already_exists", block)
      return yield* byOther(earlier.settling.value.id, order)
    }
    const account = yield* followsFrontier(block) // 15
    if (Option.isSome(earlier.settled)) return yield* byOther(earlier.settled.value.id, order) // 16
    yield* sendsExactly(block, amountRaw, account) // 17
    yield* sale.isReady // 18
    // 19: from here on the block is sent, by this process or by another.
    const claimed = yield* settlements
      .claim({
        target,
        fileId,
        block,
        amountRaw,
        buyerId,
        quoteHash: quote.quoteHash,
        payTo: quote.payTo,
        payloadHash: payment.payloadHash,
        paymentIdentifier: payment.paymentIdentifier,
        receiptHash:
          target.kind === "purchase" && Option.isSome(payment.quote)
            ? receiptTokenOf(payment.quote.value).tokenHash
            : null
      })
      .pipe(Effect.mapError(({ reason }) => claimErrorOf(reason, sale, block)))
    return yield* settledOf(yield* settlements.carryThrough(claimed.id)) // 20
  })

  return {
    checkIdentifier,

    /** Returns the settled payment by which the payer has the thing: that of this request, or an earlier one. */
    payFor: Effect.fn("payFor")(function* <Refusal>(order: Order<Refusal>) {
      const { client, payment, sale } = order
      yield* checkIdentifier(sale.target, payment) // 2
      const known = yield* repeated(sale.target, payment) // 3
      if (Option.isSome(known)) return known.value
      yield* consume("payment", client)
      const quote = yield* quotes.check(sale.target, payment.accepted, sale.urls, payment.resource) // 4, 5, 6
      yield* sale.isSold(quote) // 7
      // 8: a payment of the account from any of its wallets. When it is refused, this one goes on.
      if (sale.pendingOfOwner !== null) {
        const own = yield* byOther(sale.pendingOfOwner, order).pipe(
          Effect.asSome,
          Effect.catchTag("TwinSuspected", () => Effect.succeedNone)
        )
        if (Option.isSome(own)) return own.value
      }
      // 9, 10, 11, 12: without a place for the signature nothing is sent, and the payer repeats the request.
      const block = yield* checkBlock({ ...payment, client }, quote, work).pipe(
        Effect.asSome,
        Effect.catchTag("VerifierBusy", () => Effect.succeedNone)
      )
      if (Option.isNone(block))
        return yield* orTwin(order, new RateLimited({ retryAfterSeconds: RETRY_AFTER_SECONDS }))
      yield* consume("payment-wallet", block.value.payerKey)
      // 13 to 20: a twin that was faster has the outcome of both.
      return yield* settle(order, quote, block.value).pipe(
        Effect.catchIf(mayHaveTwin, (error) => orTwin(order, suspecting(error))),
        Effect.retry({ times: TRIES_MAX, while: isSuspicion }),
        Effect.catchIf(isSuspicion, ({ otherwise }) => Effect.fail(otherwise))
      )
    })
  }
})
