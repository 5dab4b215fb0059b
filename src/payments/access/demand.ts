import { Effect, Option } from "effect"
import { LedgerAway, type PaymentRefused, PaymentsDisabled } from "../../../schemas/payments/x402/errors.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Quotes } from "../quotes/Quotes.ts"
import { Payees } from "../settlement/Payees.ts"
import { makePaymentRequired } from "../x402/paymentRequired.ts"
import type { AccessRow } from "./accessRow.ts"
import { accessUrlOf } from "./resource.ts"

/**
 * Makes the 402 of a Post that is for sale: today's terms with a fresh quote. It writes no row. A service that cannot take
 * money names no price.
 */
export const makeDemand = Effect.gen(function* () {
  const ledger = yield* NanoLedger
  const payees = yield* Payees
  const quotes = yield* Quotes
  const required = yield* makePaymentRequired
  const baseUrl = yield* PublicBaseUrl

  return Effect.fnUntraced(function* (post: AccessRow, refused: PaymentRefused | undefined) {
    if (ledger.kind === "off") return yield* new PaymentsDisabled()
    if (yield* ledger.isAway) return yield* new LedgerAway()
    const amountRaw = BigInt(post.price_raw ?? 0)
    const payee = yield* payees.of(post.owner_id, amountRaw)
    // The author was restricted in this moment.
    if (Option.isNone(payee)) return yield* new NotFound()
    const target = { kind: "purchase", postId: post.id } as const
    return yield* required({
      offer: yield* quotes.offer({ target, amountRaw, payTo: payee.value.address }),
      method: "GET",
      url: accessUrlOf(baseUrl, post.id),
      title: post.title,
      mimeType: "application/json",
      preview: `${baseUrl}/api/posts/${post.id}`,
      code: refused?.code ?? "payment_required",
      ...(refused?.detail === undefined ? {} : { detail: refused.detail })
    })
  })
})
