import { Schema } from "effect"
import { Offer } from "./Offer.ts"
import { type PaymentRefusalCode, paymentRefusals } from "./refusals.ts"

/** Maximum number of UTF-8 bytes of a description, so that the header stays below 4 KB. */
export const DESCRIPTION_BYTES_MAX = 200

/** Codes of a 402. */
export const PaymentRefusalCodes = Schema.Literals(
  // The keys of the table are its codes.
  Object.keys(paymentRefusals) as [PaymentRefusalCode, ...Array<PaymentRefusalCode>]
)

/** The name of a service as x402 takes it. */
export const ServiceName = Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,32}$/)).annotate({
  description:
    "The name of the site. Absent where x402 cannot write it: in another script, or above 32 characters"
})

/** The resource that a payment pays for. */
export const PaidResource = Schema.Struct({
  url: Schema.String.annotate({ description: "The URL to repeat with the payment" }),
  description: Schema.String.annotate({ description: `At most ${DESCRIPTION_BYTES_MAX} bytes` }),
  mimeType: Schema.String,
  serviceName: Schema.optionalKey(ServiceName),
  tags: Schema.Array(Schema.String).annotate({
    description: "What the resource is, for indexes of resources"
  }),
  iconUrl: Schema.String.annotate({ description: "The icon of the site, a PNG" })
}).annotate({ identifier: "PaidResource" })
export type PaidResource = typeof PaidResource.Type

/** An extension of x402: what it says, and the JSON Schema of that. */
const Extension = Schema.Struct({
  info: Schema.JsonObject,
  schema: Schema.JsonObject
})

/** The terms of a payment, in the form of x402 version 2. PAYMENT-REQUIRED is base64 of its JSON. */
export const PaymentTerms = Schema.Struct({
  x402Version: Schema.Literal(2),
  error: PaymentRefusalCodes,
  resource: PaidResource,
  accepts: Schema.Tuple([Offer]),
  extensions: Schema.Struct({
    "payment-identifier": Extension,
    "rail-hint": Extension,
    bazaar: Extension
  })
})
export type PaymentTerms = typeof PaymentTerms.Type
