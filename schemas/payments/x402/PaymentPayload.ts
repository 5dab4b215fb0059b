import { Schema } from "effect"

/** Characters of a PAYMENT-SIGNATURE, at most. */
export const PAYMENT_CHARACTERS_MAX = 8192

/** Maximum depth of objects and arrays in a payment. */
export const PAYMENT_DEPTH_MAX = 8

const Members = Schema.Record(Schema.String, Schema.Unknown)

/**
 * A payment of x402 version 2. PAYMENT-SIGNATURE is base64 of its JSON. Clients add members of their own, so unknown
 * ones are ignored. The members of `accepted` and of `block` are read later, because each has a refusal of its own.
 */
export const PaymentPayload = Schema.Struct({
  x402Version: Schema.Literal(2),
  accepted: Members,
  payload: Schema.Struct({ block: Members }),
  resource: Schema.optionalKey(Schema.Unknown),
  extensions: Schema.optionalKey(Schema.Unknown)
})

/** Describes PAYMENT-SIGNATURE where an operation takes it. */
export const PAYMENT_DESCRIPTION =
  'Base64 of `{"x402Version":2,"resource":<resource>,"accepted":<accepts[0]>,"payload":{"block":<block>}}`, at most 8192 characters. `resource` and `accepts` are those of the 402, unchanged. The block is a signed state block that sends exactly the amount, as nodes spell it in JSON. Keep the header before you send it'

/** An id that a payer gives a payment, so that a repeat is recognized (the extension `payment-identifier`). */
export const PaymentIdentifier = Schema.String.check(
  Schema.isPattern(/^[a-zA-Z0-9_-]{16,128}$/u, { expected: "16 to 128 letters, digits, _ and -" })
)
