import { Effect, Option } from "effect"
import {
  LedgerAway,
  type PaymentRefused,
  type PaymentRequired,
  PaymentsDisabled
} from "../../../schemas/payments/x402/errors.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Quotes } from "../quotes/Quotes.ts"
import { Payees } from "../settlement/Payees.ts"
import type { PaymentTarget } from "../settlement/PaymentTarget.ts"
import { type Demand, makePaymentRequired } from "../x402/paymentRequired.ts"

/** A thing to pay for, as its 402 names it. */
interface Demanded<Unpayable> extends Pick<Demand, "method" | "url" | "title" | "mimeType" | "preview"> {
  readonly target: PaymentTarget
  readonly recipientId: OwnerId
  /** The payout address of a recipient who was just read and may be paid; null to look it up. */
  readonly payoutAddress: NanoAddress | null
  readonly amountRaw: bigint
  /** The digest of the version of a Post, in hex. */
  readonly versionSha256?: string
  /** The refusal of the payment in the request; undefined without a payment. */
  readonly refused: PaymentRefused | undefined
  /** Returns the error of a recipient who cannot be paid. */
  readonly unpayable: () => Unpayable
}

type Payment = Pick<Demanded<never>, "amountRaw" | "recipientId">

/**
 * Makes 402s: the current terms with a fresh quote. They write no row. A service that cannot take payments names no
 * price.
 */
export const makeDemand = Effect.gen(function* () {
  const ledger = yield* NanoLedger
  const payees = yield* Payees
  const quotes = yield* Quotes
  const required = yield* makePaymentRequired

  /** Looks up the address to pay. If the address is known, only the fees that the recipient owes are looked up. */
  const payToOf = ({ amountRaw, recipientId }: Payment) =>
    Effect.map(
      payees.of(recipientId, amountRaw),
      Option.map(({ address }) => address)
    )

  return Effect.fnUntraced(function* <Unpayable>({
    amountRaw,
    method,
    mimeType,
    payoutAddress,
    preview,
    recipientId,
    refused,
    target,
    title,
    unpayable,
    url,
    versionSha256
  }: Demanded<Unpayable>): Effect.fn.Return<
    never,
    PaymentRequired | PaymentsDisabled | LedgerAway | Unpayable
  > {
    if (ledger.kind === "off") return yield* new PaymentsDisabled()
    if (yield* ledger.isAway) return yield* new LedgerAway()
    const payTo =
      payoutAddress !== null && !payees.takesFees
        ? Option.some(payoutAddress)
        : yield* payToOf({ amountRaw, recipientId })
    if (Option.isNone(payTo)) return yield* Effect.fail(unpayable())
    const offer = yield* quotes.offer({ target, amountRaw, payTo: payTo.value }, versionSha256)
    return yield* required({
      offer,
      method,
      url,
      title,
      mimeType,
      preview,
      code: refused?.code ?? "payment_required",
      ...(refused?.detail === undefined ? {} : { detail: refused.detail })
    })
  })
})
