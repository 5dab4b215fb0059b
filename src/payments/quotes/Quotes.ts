import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import { ASSET, OFFER_SECONDS, type Offer } from "../../../schemas/payments/x402/Offer.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { QuoteMac } from "../../platform/ports/QuoteMac.ts"
import { base62 } from "../../platform/secrets/base62.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"
import { now } from "../../platform/time/now.ts"
import type { PaymentTarget } from "../settlement/PaymentTarget.ts"
import type { Sent } from "../x402/readPayment.ts"
import { hexOfThreshold, workRule } from "../x402/workRule.ts"
import { type QuotedTerms, quotePartsOf, readTerms, type Terms, textOfTerms } from "./terms.ts"

/** A quote of this service, as a payer echoes it. */
export interface CheckedQuote {
  /** SHA-256 of the quote: the database keeps only this. */
  readonly quoteHash: Uint8Array
  readonly amountRaw: bigint
  readonly payTo: NanoAddress
  readonly validBefore: Date
}

const NAME_BYTES = 16

const refuse = (code: PaymentRefusalCode) => Effect.fail(new PaymentRefused({ code }))

const secondsOf = (moment: Date) => Math.floor(moment.getTime() / 1000)

/**
 * Makes offers, and recognizes them. The service stores no quotes: each proves its own terms, so that a read without a
 * credential writes no row.
 */
export class Quotes extends Context.Service<
  Quotes,
  {
    /** Makes an offer with a fresh quote, of the version of a Post that is for sale now. */
    readonly offer: (terms: Terms, versionSha256?: string) => Effect.Effect<Offer>
    /**
     * Checks the offer that a payer echoes for a target, and the URL of the resource if the payer echoes it. It does
     * not check whether the price and the address are still current.
     */
    readonly check: (
      target: PaymentTarget,
      accepted: Sent,
      resourceUrls: ReadonlyArray<string>,
      resource: string | undefined
    ) => Effect.Effect<CheckedQuote, PaymentRefused>
  }
>()("pennypress/payments/quotes/Quotes") {
  static readonly layer = Layer.effect(
    Quotes,
    Effect.gen(function* () {
      const mac = yield* QuoteMac
      const random = yield* SecureRandom.SecureRandom
      const { network } = yield* NanoLedger
      const { demand, threshold } = yield* workRule
      const workThreshold = hexOfThreshold(threshold)

      const quote = Effect.fnUntraced(function* (terms: QuotedTerms) {
        return `ppi_${terms.name}_${base62(yield* mac.hash(textOfTerms(terms)))}`
      })

      return Quotes.of({
        // Without a span: it asks nothing, and each 402 makes one.
        offer: Effect.fnUntraced(function* (terms, versionSha256) {
          const name = base62(yield* random.randomBytes(NAME_BYTES))
          const validBefore = secondsOf(yield* now) + OFFER_SECONDS
          const offer: Offer = {
            scheme: "exact",
            network,
            asset: ASSET,
            amount: terms.amountRaw.toString(),
            payTo: terms.payTo,
            maxTimeoutSeconds: OFFER_SECONDS,
            extra: {
              intentId: yield* quote({ ...terms, name, network, validBefore }),
              validBefore,
              work: demand,
              workThreshold,
              ...(versionSha256 === undefined ? {} : { versionSha256 })
            }
          }
          return offer
        }),

        check: Effect.fn("Quotes.check")(function* (target, accepted, resourceUrls, resource) {
          if (accepted["scheme"] !== "exact") return yield* refuse("unsupported_scheme")
          if (accepted["network"] !== network || accepted["asset"] !== ASSET) {
            return yield* refuse("invalid_network")
          }
          const echoed = Option.getOrUndefined(readTerms(accepted))
          const parts = Option.flatMap(Option.fromUndefinedOr(echoed), ({ extra }) =>
            quotePartsOf(extra.intentId)
          )
          if (echoed === undefined || Option.isNone(parts)) return yield* refuse("requirements_mismatch")
          const { amount: amountRaw, extra, payTo } = echoed
          const { mac: sent, name } = parts.value
          const { validBefore } = extra
          const isOurs = yield* mac.matches(
            textOfTerms({ amountRaw, name, network, payTo, target, validBefore }),
            sent
          )
          const isSame =
            isOurs &&
            extra.work === demand &&
            extra.workThreshold === workThreshold &&
            (resource === undefined || resourceUrls.includes(resource))
          if (!isSame) return yield* refuse("requirements_mismatch")
          if (validBefore * 1000 <= (yield* now).getTime()) return yield* refuse("quote_expired")
          return {
            quoteHash: hashOf(Redacted.make(extra.intentId)),
            amountRaw,
            payTo,
            validBefore: DateTime.toDateUtc(DateTime.makeUnsafe(validBefore * 1000))
          }
        })
      })
    })
  )
}
