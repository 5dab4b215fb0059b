import { Predicate, Schema, SchemaTransformation } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { NanoAddress } from "../../platform/Nano.ts"
import { PaymentRefusalCodes, PaymentTerms } from "./PaymentRequired.ts"

/** Terms that the service made or a client has decoded, so they are not checked again. */
const MadeTerms = Schema.declare((terms): terms is PaymentTerms => Predicate.isObject(terms), {
  toCodecJson: () =>
    Schema.link<PaymentTerms>()(Schema.toType(PaymentTerms), SchemaTransformation.passthrough())
})

/** The payment cannot be read. */
export class InvalidPayload extends ServiceError<InvalidPayload>()("InvalidPayload") {}

/** The payment is of another version of x402. */
export class InvalidX402Version extends ServiceError<InvalidX402Version>()("InvalidX402Version") {}

/** The payment-identifier names an earlier payment with different content. */
export class PaymentIdentifierConflict extends ServiceError<PaymentIdentifierConflict>()(
  "PaymentIdentifierConflict"
) {}

/** The service has no ledger, so it takes no payments. */
export class PaymentsDisabled extends ServiceError<PaymentsDisabled>()("PaymentsDisabled") {}

/** The ledger is unavailable, and nothing was sent to it. */
export class LedgerAway extends ServiceError<LedgerAway>()("LedgerAway") {}

/** A payment was accepted, but its outcome is not known yet. Never answer it with a 402: the payer would pay twice. */
export class SettlementPending extends ServiceError<SettlementPending>()("SettlementPending", {
  /** The hash of the block, 64 hex digits. */
  transaction: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}

/**
 * A payment is refused before anything was sent to the ledger. Services fail with it; the endpoint answers it with
 * `PaymentRequired`, which has fresh terms.
 */
export class PaymentRefused extends ServiceError<PaymentRefused>()("PaymentRefused", {
  code: PaymentRefusalCodes,
  /** The wallet of the block, once its signature was verified. */
  payer: Schema.optionalKey(NanoAddress)
}) {}

/** A payment is requested, with its terms: the first one, or another one after a refusal. */
export class PaymentRequired extends ServiceError<PaymentRequired>()("PaymentRequired", {
  terms: MadeTerms,
  /** The URL of the part that may be read without a payment; null if there is none. */
  preview: Schema.NullOr(Schema.String),
  /** Marks payments on a development ledger. */
  ledger: Schema.optionalKey(Schema.Literal("development"))
}) {}
