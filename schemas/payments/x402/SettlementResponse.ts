import { Schema } from "effect"
import { NanoAddress, RawDigits } from "../../platform/Nano.ts"

/** The outcome of a payment, in the form of x402 version 2. PAYMENT-RESPONSE is base64 of its JSON. */
export const SettlementResponse = Schema.Struct({
  success: Schema.Boolean,
  errorReason: Schema.optionalKey(Schema.String).annotate({
    description: "The code of the refusal, or settlement_pending"
  }),
  transaction: Schema.String.annotate({
    description: "The hash of the block that paid, 64 hex digits; empty when none was sent"
  }),
  network: Schema.String,
  payer: Schema.optionalKey(NanoAddress),
  amount: Schema.optionalKey(RawDigits),
  charged: Schema.optionalKey(Schema.Boolean).annotate({
    description:
      "True if the block of this request paid, in this request or in an earlier one. False if an earlier payment counts: `transaction` is its block, and the block of this request was not sent"
  })
}).annotate({ identifier: "SettlementResponse" })
export type SettlementResponse = typeof SettlementResponse.Type
