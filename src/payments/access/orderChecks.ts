import { Effect, Option } from "effect"
import { PostWithdrawn } from "../../../schemas/payments/access/errors.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import { makePaymentChecks } from "../paying/paymentChecks.ts"
import { changed } from "../paying/refusals.ts"
import { type CheckedQuote, Quotes } from "../quotes/Quotes.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import type { CheckedBlock } from "../x402/checkBlock.ts"
import { type Order, targetOf } from "./order.ts"
import { checkFile } from "./orderedFile.ts"
import { resourceUrlOf } from "./resource.ts"

/** Makes the checks of an order that concern the Post, the quote and earlier payments. */
export const makeOrderChecks = Effect.gen(function* () {
  const quotes = yield* Quotes
  const payments = yield* makePaymentChecks
  const { consume } = yield* RateLimits
  const { platformFeeAddress } = yield* Settings
  const baseUrl = yield* PublicBaseUrl

  return {
    /** Refuses a payment whose identifier names another one for this Post. */
    identifier: (order: Order) => payments.identifier(targetOf(order), order.payment),

    /** Returns the settled payment that this order repeats. */
    replay: (order: Order) => payments.replay(targetOf(order), order.payment),

    /** Counts a payment that is not a repeat. */
    countPayment: ({ client }: Order) => consume("payment", client),
    /** Counts a payment that its wallet signed. */
    countWallet: ({ payerKey }: CheckedBlock) => consume("payment-wallet", payerKey),

    /** Checks that the payer echoes an offer of this service for this Post. */
    quote: (order: Order) =>
      quotes.check(
        targetOf(order),
        order.payment.accepted,
        [undefined, order.fileId].map((fileId) => resourceUrlOf(baseUrl, order.post.id, fileId)),
        order.payment.resource
      ),

    /** Checks that the Post is for sale on the terms of the quote. One that became free is read without a payment. */
    sale: Effect.fnUntraced(function* ({ post }: Order, { amountRaw, payTo }: CheckedQuote) {
      if (!post.is_public) return yield* new PostWithdrawn()
      const isPaid = payTo === post.payout_address || payTo === platformFeeAddress
      // A Post that became free is read again, and answered without a payment.
      if (post.price_raw !== String(amountRaw) || !isPaid) return yield* changed
    }),

    /** Refuses to send a block for a file that the buyer would not get. One that was removed is a changed term. */
    file: ({ fileId, post }: Order) =>
      Effect.catchTag(checkFile(post, fileId), "NotFound", () => Effect.fail(changed)),

    /** Refuses a block that already pays for something. */
    isUnused: (order: Order, block: CheckedBlock, known: Option.Option<Settlement>) =>
      payments.isUnused(targetOf(order), block, known),

    isUnsent: payments.isUnsent,

    /** Claims the purchase, with a receipt for the quote. */
    claim: (order: Order, quote: CheckedQuote, block: CheckedBlock) =>
      payments.claim({
        target: targetOf(order),
        fileId: order.fileId,
        payment: order.payment,
        quote,
        block,
        buyerId: order.buyerId,
        receiptHash: Option.match(order.payment.quote, {
          onNone: () => null,
          onSome: (secret) => receiptTokenOf(secret).tokenHash
        }),
        withdrawn: () => new PostWithdrawn()
      })
  }
})
