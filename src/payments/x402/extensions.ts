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

const JSON_TYPE = "application/json"

/** Says in the words of the extension what a payer gets, whose media type the resource has. */
const outputOf = (mimeType: string) =>
  mimeType === JSON_TYPE ? { type: "json" } : { type: "binary", format: mimeType }

const bazaar = (method: PaidMethod, mimeType: string) => ({
  info: { input: inputs[method], output: outputOf(mimeType) },
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      input: {
        type: "object",
        properties: { type: { const: "http" }, method: { const: method } },
        required: ["type", "method"]
      },
      output: {
        type: "object",
        properties: { type: { type: "string" }, format: { type: "string" } },
        required: ["type"]
      }
    },
    required: ["input"]
  }
})

/** Makes the extensions of x402 that a 402 declares. Payers echo those that they do not know. */
export const makeExtensions = (base: string, network: string) => {
  const ofAll = {
    "payment-identifier": paymentIdentifier,
    "rail-hint": { info: railHint(base, network), schema: RAIL_HINT_SCHEMA }
  }
  return (method: PaidMethod, mimeType: string): PaymentTerms["extensions"] => ({
    ...ofAll,
    bazaar: bazaar(method, mimeType)
  })
}
