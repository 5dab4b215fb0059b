import type { PaymentTerms } from "../../../schemas/payments/x402/PaymentRequired.ts"
import { railHint } from "./railHint.ts"

/** The method of an operation that takes payments. A tip has a body. */
export type PaidMethod = "GET" | "POST"

const paymentIdentifier = {
  info: { required: false },
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" }
    },
    required: ["required"]
  }
}

const RAIL_HINT_SCHEMA = { type: "object", required: ["cheapest", "why"], additionalProperties: true }

const inputs = {
  GET: { type: "http", method: "GET" },
  POST: { type: "http", method: "POST", bodyType: "json", body: { amountXno: "0.1" } }
} as const

const bazaar = (method: PaidMethod) => ({
  info: { input: inputs[method], output: { type: "json" } },
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      input: {
        type: "object",
        properties: { type: { const: "http" }, method: { const: method } },
        required: ["type", "method"]
      },
      output: { type: "object", properties: { type: { type: "string" } }, required: ["type"] }
    },
    required: ["input"]
  }
})

/** Returns the extensions of x402 that a 402 declares. Payers echo those that they do not know. */
export const extensionsOf = (
  base: string,
  network: string,
  method: PaidMethod
): PaymentTerms["extensions"] => ({
  "payment-identifier": paymentIdentifier,
  "rail-hint": { info: railHint(base, network), schema: RAIL_HINT_SCHEMA },
  bazaar: bazaar(method)
})
