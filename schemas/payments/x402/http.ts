import { Schema, SchemaTransformation } from "effect"
import { inJson } from "../../platform/errors/inJson.ts"
import { jsonErrors, statusMessages } from "../../platform/errors/jsonErrors.ts"
import { sentenceOf } from "../../platform/errors/ServiceError.ts"
import {
  InvalidPayload,
  InvalidX402Version,
  LedgerAway,
  PaymentIdentifierConflict,
  PaymentRequired,
  PaymentsDisabled,
  SettlementPending
} from "./errors.ts"
import { PaymentRefusalCodes, PaymentTerms } from "./PaymentRequired.ts"
import { paymentRefusals } from "./refusals.ts"

/** Returns the members of a 402 that follow its terms: those of its family. */
export const membersOfRequired = (error: PaymentRequired) => ({
  statusCode: 402 as const,
  statusMessage: statusMessages[402],
  message: sentenceOf(error) ?? paymentRefusals[error.terms.error],
  data: {
    code: error.terms.error,
    preview: error.preview,
    ...(error.ledger === undefined ? {} : { ledger: error.ledger })
  }
})

/**
 * The 402 of the ordinary JSON family. The body has the terms in addition to its own members, because some payers read
 * only the body. Others read the header PAYMENT-REQUIRED, which also has the terms.
 */
const paymentRequired = Schema.Struct({
  ...PaymentTerms.fields,
  statusCode: Schema.tag(402),
  statusMessage: Schema.tag(statusMessages[402]),
  message: Schema.String,
  data: Schema.Struct({
    code: PaymentRefusalCodes,
    preview: Schema.NullOr(Schema.String),
    ledger: Schema.optionalKey(Schema.Literal("development"))
  })
}).pipe(
  Schema.decodeTo(
    Schema.toType(PaymentRequired),
    SchemaTransformation.transform({
      decode: ({ accepts, data, error, extensions, message, resource, x402Version }) => {
        const { code: _code, ...members } = data
        const terms = { x402Version, error, resource, accepts, extensions }
        return new PaymentRequired({ ...members, terms, detail: message })
      },
      encode: (error) => ({ ...error.terms, ...membersOfRequired(error) })
    })
  ),
  Schema.annotate({
    identifier: "PaymentRequired",
    httpApiStatus: 402,
    description: "A payment is required; PAYMENT-REQUIRED has its terms, and nothing was sent to the ledger"
  })
)

const pending = jsonErrors.settlement_pending

/** Some payers repeat a request by themselves when they read these words. */
const PENDING_NOTE = "The payment is not yet confirmed: repeat this very request"

/** The 503 of a payment whose outcome is not known yet: `error` and `note` are for payers that repeat by themselves. */
const settlementPending = Schema.Struct({
  error: Schema.tag("settlement_pending"),
  note: Schema.tag(PENDING_NOTE),
  statusCode: Schema.tag(pending.status),
  statusMessage: Schema.tag(statusMessages[pending.status]),
  message: Schema.String,
  data: Schema.Struct({
    code: Schema.tag("settlement_pending"),
    transaction: Schema.String,
    retryAfter: Schema.Int
  })
}).pipe(
  Schema.decodeTo(
    Schema.toType(SettlementPending),
    SchemaTransformation.transform({
      decode: ({ data, message }) =>
        new SettlementPending({
          transaction: data.transaction,
          retryAfterSeconds: data.retryAfter,
          detail: message
        }),
      encode: (error) => ({
        error: "settlement_pending" as const,
        note: PENDING_NOTE,
        statusCode: pending.status,
        statusMessage: statusMessages[pending.status],
        message: sentenceOf(error) ?? pending.message,
        data: {
          code: "settlement_pending" as const,
          transaction: error.transaction,
          retryAfter: error.retryAfterSeconds
        }
      })
    })
  ),
  Schema.annotate({
    identifier: "SettlementPending",
    httpApiStatus: pending.status,
    description: pending.message
  })
)

/** Errors of every operation that takes a payment by x402, in addition to its own. */
export const paymentErrors = [
  inJson(InvalidPayload, "invalid_payload"),
  inJson(InvalidX402Version, "invalid_x402_version"),
  paymentRequired,
  inJson(PaymentIdentifierConflict, "payment_identifier_conflict"),
  settlementPending,
  inJson(LedgerAway, "ledger_unavailable"),
  inJson(PaymentsDisabled, "payments_disabled")
] as const
