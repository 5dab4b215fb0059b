import { Effect, Option, Result, Schema } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PaymentRequired, SettlementPending } from "../../../schemas/payments/x402/errors.ts"
import { membersOfRequired } from "../../../schemas/payments/x402/http.ts"
import type { SettlementResponse } from "../../../schemas/payments/x402/SettlementResponse.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { setRetryAfter } from "../../platform/rate-limits/http.ts"
import { readPayment, type ShownPayment } from "./readPayment.ts"

const utf8 = new TextEncoder()
const ASCII = /^[\0-\x7f]*$/

/** Returns the base64 of a text's bytes in UTF-8. */
const base64 = (text: string): string =>
  btoa(ASCII.test(text) ? text : String.fromCharCode(...utf8.encode(text)))

/** Returns the base64 of a document's JSON, as the headers of x402 carry it. */
export const base64Json = (document: object): string => base64(JSON.stringify(document))

/** Adds headers to the answer of this request, an error included. */
export const withHeaders = (headers: Readonly<Record<string, string>>) =>
  Effect.withFiber<void>((fiber) => {
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, headers))
    )
    return Effect.void
  })

/** Returns true for a request with a payment, readable or not. */
export const carriesPayment = (headers: Readonly<Record<string, string | undefined>>) =>
  headers["payment-signature"] !== undefined || headers["x-payment"] !== undefined

/** Reads the payment of the current request; None without one. */
export const paymentOfRequest = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  carriesPayment(headers) ? readPayment(headers) : Effect.succeedNone
)

/** Makes the effect that marks an answer about payments on the development ledger. Other payments need no mark. */
export const makeMarkLedger: Effect.Effect<Effect.Effect<void>, never, NanoLedger> = Effect.map(
  NanoLedger,
  ({ kind }) => (kind === "development" ? withHeaders({ "x-pennypress-ledger": kind }) : Effect.void)
)

/** Sends the payer the outcome in PAYMENT-RESPONSE, with any answer. */
const setPaymentResponse = (outcome: SettlementResponse): Effect.Effect<void> =>
  withHeaders({ "payment-response": base64Json(outcome) })

/** Answers a 402 with its terms in the body and in PAYMENT-REQUIRED, because some payers read only one of them. */
const termsAnswer = (error: PaymentRequired) => {
  const terms = JSON.stringify(error.terms)
  const members = JSON.stringify(membersOfRequired(error))
  return HttpServerResponse.text(`${terms.slice(0, -1)},${members.slice(1)}`, {
    status: 402,
    contentType: "application/json",
    headers: { "payment-required": base64(terms) }
  })
}

/** Answers that a payment is required. The terms are the service's own, so they are sent as they were made. */
export const answerPaymentRequired = <A, E, R>(answer: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    answer,
    (error): error is Extract<E, PaymentRequired> => error instanceof PaymentRequired,
    (error) => Effect.succeed(termsAnswer(error))
  )

/** The payment that an outcome describes. */
interface RefusedPayment {
  readonly network: string
  /** The account of the block that came along; undefined when none can be read. */
  readonly payer: NanoAddress | undefined
  /** The hash of a block that may have been sent. */
  readonly transaction?: string
}

/** Returns the outcome of a payment that has not settled. */
export const refusedOutcome = (
  errorReason: string,
  { network, payer, transaction = "" }: RefusedPayment
): SettlementResponse => ({
  success: false,
  errorReason,
  transaction,
  network,
  ...(payer === undefined ? {} : { payer })
})

const decodeAddress = Schema.decodeUnknownOption(NanoAddress)

/** Returns the account of the block that came along. */
const payerOf = (payment: ShownPayment) =>
  Option.getOrUndefined(
    Option.flatMap(Result.getSuccess(payment), ({ block }) => decodeAddress(block["account"]))
  )

/** Reasons by which payers know refusals: the codes of their answers. Those of every payment are known here. */
export type Reasons<Refusal extends { readonly _tag: string }> = Readonly<
  Record<Exclude<Refusal["_tag"], "PaymentRequired" | "SettlementPending">, string>
>

/** The payment of a request, with everything that its payer needs to know. */
interface AnsweredPayment<Refusal extends { readonly _tag: string }> {
  /** Undefined for a request without a payment. */
  readonly payment: ShownPayment | undefined
  readonly network: string
  readonly reasons: Reasons<Refusal>
}

/** Adds the headers that payers read: the outcome of their payment, and the seconds to wait. */
export const withPaymentResponse = <
  Answer extends { readonly settlement: SettlementResponse | null },
  Refusal extends { readonly _tag: string },
  R
>(
  answer: Effect.Effect<Answer, Refusal, R>,
  { network, payment, reasons }: AnsweredPayment<Refusal>
) => {
  const outcomeOf = (error: Refusal, shown: ShownPayment) => {
    const known = { network, payer: payerOf(shown) }
    if (error instanceof PaymentRequired) return refusedOutcome(error.terms.error, known)
    if (error instanceof SettlementPending)
      return refusedOutcome("settlement_pending", { ...known, transaction: error.transaction })
    return refusedOutcome(reasons[error._tag as keyof Reasons<Refusal>], known)
  }
  if (payment === undefined) return answer
  return answer.pipe(
    Effect.tap(({ settlement }) => (settlement === null ? Effect.void : setPaymentResponse(settlement))),
    Effect.tapError((error) => setPaymentResponse(outcomeOf(error, payment))),
    Effect.tapError((error) => (error instanceof SettlementPending ? setRetryAfter(error) : Effect.void))
  )
}
