import { Effect, Option } from "effect"
import { PostWithdrawn } from "../../../schemas/payments/access/errors.ts"
import { PaymentIdentifierConflict, PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import { type CheckedQuote, Quotes } from "../quotes/Quotes.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import { Settlements } from "../settlement/Settlements.ts"
import type { CheckedBlock } from "../x402/checkBlock.ts"
import { type Order, targetOf } from "./order.ts"
import { LookAgain, pendingOf } from "./outcomes.ts"
import { accessUrlOf } from "./resource.ts"

const isSame = (one: Uint8Array | null, other: Uint8Array) =>
  one !== null && one.length === other.length && one.every((byte, place) => byte === other[place])

const refuse = (code: PaymentRefusalCode, { payerKey }: CheckedBlock) =>
  Effect.fail(new PaymentRefused({ code, payer: addressOfPublicKey(payerKey) }))

/** The terms are not those of the quote any more. A Post that became free is read anew, and answered without a payment. */
const changed = new PaymentRefused({ code: "requirements_changed" })

/** Makes the checks of an order that are about the Post, the quote and what was paid before. */
export const makeOrderChecks = Effect.gen(function* () {
  const settlements = yield* Settlements
  const quotes = yield* Quotes
  const ledger = yield* NanoLedger
  const { consume } = yield* RateLimits
  const { platformFeeAddress } = yield* Settings
  const baseUrl = yield* PublicBaseUrl

  return {
    /** Refuses a payment whose identifier names another one for this Post. */
    identifier: Effect.fnUntraced(function* (order: Order) {
      const { payloadHash, paymentIdentifier } = order.payment
      if (paymentIdentifier === null) return
      const known = yield* settlements.ofIdentifier(targetOf(order), paymentIdentifier)
      if (Option.isSome(known) && !isSame(known.value.payloadHash, payloadHash))
        return yield* new PaymentIdentifierConflict()
    }),

    /** Counts a payment that is no repeat. */
    countPayment: ({ client }: Order) => consume("payment", client),
    /** Counts a payment that its wallet signed. */
    countWallet: ({ payerKey }: CheckedBlock) => consume("payment-wallet", payerKey),

    /** Checks that the payer echoes an offer of this service for this Post. */
    quote: (order: Order) =>
      quotes.check(
        targetOf(order),
        order.payment.accepted,
        [accessUrlOf(baseUrl, order.post.id)],
        order.payment.resource
      ),

    /** Checks that the Post is for sale on the terms of the quote. One that became free is read without a payment. */
    sale: Effect.fnUntraced(function* ({ post }: Order, { amountRaw, payTo }: CheckedQuote) {
      if (!post.is_public) return yield* new PostWithdrawn()
      const isPaid = payTo === post.payout_address || payTo === platformFeeAddress
      if (post.price_raw !== String(amountRaw) || !isPaid) return yield* changed
    }),

    /**
     * Refuses a block that pays for anything already. A block is public once it is sent, so it proves nothing under another
     * quote than its own. Its payer signs anew, and is known again by that.
     */
    isUnused: Effect.fnUntraced(function* (
      { post }: Order,
      block: CheckedBlock,
      known: Option.Option<Settlement>
    ) {
      if (Option.isNone(known)) return
      const { state, target } = known.value
      const isThis = target.kind === "purchase" && target.postId === post.id
      return yield* isThis && state !== "settled"
        ? Effect.fail(pendingOf(known.value))
        : refuse("block_already_used", block)
    }),

    /** Refuses a block that the ledger knows: only a block that was never sent proves its wallet. */
    isUnsent: Effect.fnUntraced(function* (block: CheckedBlock) {
      if (Option.isSome(yield* ledger.block(block.hash))) return yield* refuse("block_already_exists", block)
    }),

    /** Claims the purchase: from here on the block is sent, by this process or by another. */
    claim: Effect.fnUntraced(function* (order: Order, quote: CheckedQuote, block: CheckedBlock) {
      const { payment } = order
      return yield* Effect.catch(
        settlements.claim({
          target: targetOf(order),
          quoteHash: quote.quoteHash,
          payloadHash: payment.payloadHash,
          paymentIdentifier: payment.paymentIdentifier,
          block,
          amountRaw: quote.amountRaw,
          payTo: quote.payTo,
          buyerId: order.buyerId,
          receiptHash: Option.match(payment.quote, {
            onNone: () => null,
            onSome: (secret) => receiptTokenOf(secret).tokenHash
          })
        }),
        ({ reason }): Effect.Effect<never, PaymentRefused | PostWithdrawn | LookAgain> => {
          switch (reason) {
            case "withdrawn":
              return Effect.fail(new PostWithdrawn())
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
    })
  }
})
