import { Effect, Option } from "effect"
import { PaymentIdentifierConflict, PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import { isSameFingerprint } from "../../platform/idempotency/fingerprint.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { LookAgain, pendingOf, suspectTwin } from "../access/outcomes.ts"
import { makeFollowsFrontier, sendsExactly } from "../paying/ledgerChecks.ts"
import { type CheckedQuote, Quotes } from "../quotes/Quotes.ts"
import type { PaymentTarget } from "../settlement/PaymentTarget.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import { Settlements } from "../settlement/Settlements.ts"
import { type CheckedBlock, makeCheckBlock } from "../x402/checkBlock.ts"
import type { Payment } from "../x402/readPayment.ts"
import { workRule } from "../x402/workRule.ts"
import { type TipTarget, TipTargets } from "./TipTargets.ts"

/** Further looks after a twin of the request was faster, at most. */
const LOOKS_MAX = 2

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

const refuse = (code: PaymentRefusalCode, { payerKey }: CheckedBlock) =>
  Effect.fail(new PaymentRefused({ code, payer: addressOfPublicKey(payerKey) }))

const isSameTip = (other: PaymentTarget, { commentId, postId, recipientId }: TipTarget) =>
  other.kind === "tip" &&
  other.recipientId === recipientId &&
  other.postId === postId &&
  other.commentId === commentId

const changed = new PaymentRefused({ code: "requirements_changed" })

/** Returns the settlement once it is settled. */
const ended = Effect.fnUntraced(function* (settlement: Settlement) {
  const { code, payerKey, state } = settlement
  if (state === "settled") return settlement
  if (state !== "refused") return yield* pendingOf(settlement)
  return yield* new PaymentRefused({
    // A settlement is refused for one of the reasons of a 402.
    code: (code ?? "fork") as PaymentRefusalCode,
    payer: addressOfPublicKey(payerKey)
  })
})

/**
 * Makes the payment of a tip, in the order of the rules of a purchase. An account may tip as often as it likes: only an
 * identical tip of one wallet that is still settling is the same tip.
 */
export const makePayTip = Effect.gen(function* () {
  const settlements = yield* Settlements
  const quotes = yield* Quotes
  const ledger = yield* NanoLedger
  const targets = yield* TipTargets
  const { consume } = yield* RateLimits
  const checkBlock = yield* makeCheckBlock
  const followsFrontier = yield* makeFollowsFrontier
  const work = yield* workRule

  const checkIdentifier = Effect.fnUntraced(function* ({ payment, target }: TipOrder) {
    if (payment.paymentIdentifier === null) return
    const known = yield* settlements.ofIdentifier(target, payment.paymentIdentifier)
    const hash = Option.flatMap(known, ({ payloadHash }) => Option.fromNullishOr(payloadHash))
    if (Option.isSome(hash) && !isSameFingerprint(payment.payloadHash, hash.value))
      return yield* new PaymentIdentifierConflict()
  })

  const replay = Effect.fnUntraced(function* ({ payment, target }: TipOrder) {
    if (Option.isNone(payment.quoteHash)) return Option.none<Settlement>()
    const known = yield* settlements.ofQuote(target, payment.quoteHash.value)
    if (Option.isNone(known)) return Option.none<Settlement>()
    const isEnded = known.value.state === "settled"
    return Option.some(yield* ended(isEnded ? known.value : yield* settlements.awaitEnd(known.value.id)))
  })

  const claim = ({ payerId, payment, target }: TipOrder, quote: CheckedQuote, block: CheckedBlock) =>
    Effect.catch(
      settlements.claim({
        target,
        quoteHash: quote.quoteHash,
        payloadHash: payment.payloadHash,
        paymentIdentifier: payment.paymentIdentifier,
        block,
        amountRaw: quote.amountRaw,
        payTo: quote.payTo,
        buyerId: payerId,
        receiptHash: null
      }),
      ({ reason }): Effect.Effect<never, PaymentRefused | NotFound | LookAgain> => {
        switch (reason) {
          case "withdrawn":
            return Effect.fail(new NotFound())
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

  /** Rules 13 to 20: earlier payments, the ledger, the claim and the broadcast. */
  const settle = Effect.fnUntraced(function* (order: TipOrder, quote: CheckedQuote, block: CheckedBlock) {
    const { blockHash, payerKey } = { blockHash: block.hash, payerKey: block.payerKey }
    const { amountRaw, payerId: buyerId, target } = order
    const earlier = yield* settlements.earlier(target, { blockHash, payerKey, buyerId, amountRaw })
    if (Option.isSome(earlier.byBlock)) {
      const { state, target: other } = earlier.byBlock.value
      // A twin of this request has claimed it meanwhile, or else another quote: a block proves nothing under that.
      return yield* isSameTip(other, target) && state !== "settled"
        ? Effect.fail(new LookAgain(pendingOf(earlier.byBlock.value)))
        : refuse("block_already_used", block)
    }
    if (Option.isSome(earlier.settlingByWallet)) {
      // A block that was sent is public, and proves no wallet.
      if (Option.isSome(yield* ledger.block(block.hash))) return yield* refuse("block_already_exists", block)
      return yield* ended(yield* settlements.awaitEnd(earlier.settlingByWallet.value.id))
    }
    const account = yield* followsFrontier(block)
    yield* sendsExactly(block, quote.amountRaw, account)
    const claimed = yield* claim(order, quote, block)
    return yield* ended(yield* settlements.carryThrough(claimed.id))
  })

  /** Settles, and looks again when a twin of the request was faster: the twin's tip is that of both. */
  const settleOnce = (
    order: TipOrder,
    quote: CheckedQuote,
    block: CheckedBlock,
    looks: number
  ): Effect.Effect<Settlement, Exclude<Effect.Error<ReturnType<typeof settle>>, LookAgain>> =>
    Effect.mapError(settle(order, quote, block), suspectTwin).pipe(
      Effect.catchTag("LookAgain", ({ otherwise }) =>
        Effect.flatMap(
          replay(order),
          Option.match({
            onSome: Effect.succeed,
            onNone: () => (looks === 0 ? Effect.fail(otherwise) : settleOnce(order, quote, block, looks - 1))
          })
        )
      )
    )

  /** Returns the settled tip of a payment. A repeat gets the same one, whatever became of its target. */
  return Effect.fn("payTip")(function* (order: TipOrder) {
    const { amountRaw, client, payerId, payment, target, url } = order
    yield* checkIdentifier(order)
    const repeated = yield* replay(order)
    if (Option.isSome(repeated)) return repeated.value
    yield* targets.check(target, payerId)
    yield* consume("payment", client)
    const quote = yield* quotes.check(target, payment.accepted, [url], payment.resource)
    if (quote.amountRaw !== amountRaw) return yield* changed
    const block = yield* checkBlock(payment, quote, work)
    yield* consume("payment-wallet", block.payerKey)
    return yield* settleOnce(order, quote, block, LOOKS_MAX)
  })
})
