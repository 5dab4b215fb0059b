import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { PaymentRequired } from "../../../schemas/payments/x402/errors.ts"
import type { SettlementResponse } from "../../../schemas/payments/x402/SettlementResponse.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { readPayment } from "./readPayment.ts"

/** Returns the base64 of a document's JSON, as the headers of x402 carry it. */
export const base64Json = (document: object): string => Base64.encode(JSON.stringify(document))

/** Adds headers to the answer of this request, an error included. */
const withHeaders = (headers: Readonly<Record<string, string>>) =>
  Effect.withFiber<void>((fiber) => {
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, headers))
    )
    return Effect.void
  })

/** Reads the payment of the current request; None without one. */
export const paymentOfRequest = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  readPayment(headers)
)

/** Makes the effect that marks an answer about money of the ledger for development. Other money needs no mark. */
export const makeMarkLedger: Effect.Effect<Effect.Effect<void>, never, NanoLedger> = Effect.map(
  NanoLedger,
  ({ kind }) => (kind === "development" ? withHeaders({ "x-pennypress-ledger": kind }) : Effect.void)
)

/** Tells the payer the outcome in PAYMENT-RESPONSE, whatever the answer. */
export const tellOutcome = (outcome: SettlementResponse): Effect.Effect<void> =>
  withHeaders({ "payment-response": base64Json(outcome) })

/** Answers a 402: its terms are in PAYMENT-REQUIRED, too. */
export const demandPayment = (required: PaymentRequired): Effect.Effect<never, PaymentRequired> =>
  Effect.andThen(withHeaders({ "payment-required": base64Json(required.terms) }), Effect.fail(required))

/** Returns the outcome of a payment that was refused before anything was sent to the ledger. */
export const refusedOutcome = (
  { accepts: [{ network }], error }: PaymentRequired["terms"],
  payer: SettlementResponse["payer"]
): SettlementResponse => ({
  success: false,
  errorReason: error,
  transaction: "",
  network,
  ...(payer === undefined ? {} : { payer })
})
