import { Effect, Schema } from "effect"
import { PaymentRequired } from "../../../schemas/payments/x402/errors.ts"
import type { Offer } from "../../../schemas/payments/x402/Offer.ts"
import { DESCRIPTION_BYTES_MAX, ServiceName } from "../../../schemas/payments/x402/PaymentRequired.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { TOUCH_ICON } from "../../platform/pages/layout.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { makeExtensions, type PaidMethod } from "./extensions.ts"

/** The members of a 402 that depend on the request. */
export interface Demand {
  readonly offer: Offer
  readonly method: PaidMethod
  /** The URL to repeat with the payment. */
  readonly url: string
  readonly title: string
  readonly mimeType: string
  /** The URL of the part that may be read without a payment. */
  readonly preview: string | null
  /** The reason: of the refused payment, or `payment_required`. */
  readonly code: PaymentRefusalCode
  /** A sentence about this occurrence, in place of the general one of the code. */
  readonly detail?: string
}

/** Words by which indexes of resources find what is for sale. */
const TAGS = ["writing", "articles", "nano"]

const isServiceName = Schema.is(ServiceName)

const utf8 = new TextEncoder()
const ELLIPSIS = "…"

/** Returns a text cut to at most this many bytes of UTF-8. */
const shortened = (text: string, bytesMax: number): string => {
  // A character has three bytes at most, or four in two units of the text.
  if (3 * text.length <= bytesMax || utf8.encode(text).length <= bytesMax) return text
  let short = ""
  let bytes = utf8.encode(ELLIPSIS).length
  for (const character of text) {
    bytes += utf8.encode(character).length
    if (bytes > bytesMax) break
    short += character
  }
  return short + ELLIPSIS
}

/** Makes an error that is an ordinary answer: no one reads its stack, which takes longer to collect than the rest. */
const withoutStack = <A>(make: () => A): A => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Makes the 402 of an offer. */
export const makePaymentRequired = Effect.gen(function* () {
  const base = yield* PublicBaseUrl
  const { siteName } = yield* Settings
  const { kind, network } = yield* NanoLedger
  const extensionsOf = makeExtensions(base, network)
  const iconUrl = `${base}${TOUCH_ICON}`
  const named = isServiceName(siteName) ? { serviceName: siteName } : {}
  return ({ code, detail, method, mimeType, offer, preview, title, url }: Demand): PaymentRequired =>
    withoutStack(
      () =>
        new PaymentRequired({
          terms: {
            x402Version: 2,
            error: code,
            resource: {
              url,
              description: shortened(title, DESCRIPTION_BYTES_MAX),
              mimeType,
              ...named,
              tags: TAGS,
              iconUrl
            },
            accepts: [offer],
            extensions: extensionsOf(method, mimeType)
          },
          preview,
          ...(kind === "development" ? { ledger: kind } : {}),
          ...(detail === undefined ? {} : { detail })
        })
    )
})
