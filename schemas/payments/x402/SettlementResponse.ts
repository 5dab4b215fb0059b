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
  amount: Schema.optionalKey(RawDigits)
}).annotate({ identifier: "SettlementResponse" })
export type SettlementResponse = typeof SettlementResponse.Type
