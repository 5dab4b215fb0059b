import { Context } from "effect"
import { OperationExtensions } from "../../platform/openapi.ts"

/** Annotates an operation that asks for a payment: its 402 quotes the price. Registries of paid operations read this. */
export const quotedPayment = Context.make(OperationExtensions, {
  "x-payment-info": { protocols: ["x402"], pricingMode: "quote" }
})
