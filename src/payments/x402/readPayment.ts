import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Option, Predicate, Redacted, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { InvalidPayload, InvalidX402Version } from "../../../schemas/payments/x402/errors.ts"
import {
  PAYMENT_CHARACTERS_MAX,
  PAYMENT_DEPTH_MAX,
  PaymentIdentifier,
  PaymentPayload
} from "../../../schemas/payments/x402/PaymentPayload.ts"
import { isTooDeep } from "../../../schemas/platform/jsonBounds.ts"
import { canonicalJson, isSameFingerprint } from "../../platform/idempotency/fingerprint.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"

/** Members that a payer sent, none of them checked. */
export type Sent = Readonly<Record<string, unknown>>

/** A payment that was read and not checked: each later check has a refusal of its own. */
export interface Payment {
  /** The offer that the payer echoes. */
  readonly accepted: Sent
  /** The block as it was sent. */
  readonly block: Sent
  /** The URL of the resource that the payer echoes; empty when it is none. */
  readonly resource: string | undefined
  /** The id that the payer gave the payment. */
  readonly paymentIdentifier: string | null
  /** SHA-256 of the payment, the same for each spelling. */
  readonly payloadHash: Uint8Array
  /** The quote that the payer echoes, of this service or not. It proves a payment that is settled: keep it secret. */
  readonly quote: Option.Option<Redacted.Redacted>
  /** SHA-256 of that quote, under which a settlement is found. */
  readonly quoteHash: Option.Option<Uint8Array>
}

/** A payment that a request carries, or the reason why it cannot be read. */
export type ShownPayment = Result.Result<Payment, InvalidPayload | InvalidX402Version>

const refuse = (detail: string) =>
  Effect.fail(new InvalidPayload({ detail: `${detail}. Nothing was sent to the ledger` }))

const BASE64 = /^[A-Za-z0-9+/]*$/

/** Reads either alphabet, with padding or without. */
const bytesOf = (text: string): Option.Option<Uint8Array> => {
  const digits = text
    .trim()
    .replace(/={0,2}$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
  return BASE64.test(digits)
    ? Result.getSuccess(Base64.decode(digits.padEnd(Math.ceil(digits.length / 4) * 4, "=")))
    : Option.none()
}

const parsed = Option.liftThrowable((bytes: Uint8Array): unknown =>
  JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
)

const decodePayload = Schema.decodeUnknownOption(PaymentPayload)
const isIdentifier = Schema.is(PaymentIdentifier)

/** Returns a member at the end of a path; undefined where the path leaves the value. */
const memberAt = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, name) => (Predicate.isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value
  )

const resourceOf = (resource: unknown): string | undefined => {
  const url = memberAt(resource, "url")
  return url === undefined || typeof url === "string" ? url : ""
}

const read = Effect.fnUntraced(function* (header: string) {
  if (header.length > PAYMENT_CHARACTERS_MAX) {
    return yield* refuse(`Send a payment of at most ${PAYMENT_CHARACTERS_MAX} characters`)
  }
  const bytes = bytesOf(header)
  if (Option.exists(bytes, (it) => isTooDeep(it, PAYMENT_DEPTH_MAX))) {
    return yield* refuse(`The payment nests objects deeper than ${PAYMENT_DEPTH_MAX}`)
  }
  const json = Option.flatMap(bytes, parsed)
  if (Option.isNone(json)) return yield* refuse("The payment is not the base64 of JSON in UTF-8")
  const version = memberAt(json.value, "x402Version")
  if (version !== undefined && version !== 2) return yield* new InvalidX402Version()
  const payload = Option.getOrUndefined(decodePayload(json.value))
  if (payload === undefined) {
    return yield* refuse("The payment lacks x402Version, or accepted or payload.block is not an object")
  }
  const identifier = memberAt(payload.extensions, "payment-identifier", "info", "id") ?? null
  if (identifier !== null && !isIdentifier(identifier)) {
    return yield* refuse("info.id of payment-identifier is not 16 to 128 letters, digits, _ and -")
  }
  const intentId = memberAt(payload.accepted, "extra", "intentId")
  const quote = typeof intentId === "string" ? Option.some(Redacted.make(intentId)) : Option.none()
  const payment: Payment = {
    accepted: payload.accepted,
    block: payload.payload.block,
    resource: resourceOf(payload.resource),
    paymentIdentifier: identifier,
    payloadHash: sha256(utf8ToBytes(canonicalJson(json.value))),
    quote,
    quoteHash: Option.map(quote, hashOf)
  }
  return payment
})

const isSamePayload = (one: Payment, other: Payment) => isSameFingerprint(one.payloadHash, other.payloadHash)

/**
 * Reads the payment of a request: PAYMENT-SIGNATURE, or the older X-PAYMENT. Returns None without either. Some payers
 * send both; two that differ are refused. Names of headers are in lower case.
 */
export const readPayment = Effect.fn("readPayment")(function* (
  headers: Readonly<Record<string, string | undefined>>
) {
  const { "payment-signature": signature, "x-payment": older } = headers
  const header = signature ?? older
  if (header === undefined) return Option.none<Payment>()
  const payment = yield* read(header)
  if (older !== undefined && older !== header && !isSamePayload(payment, yield* read(older))) {
    return yield* refuse("PAYMENT-SIGNATURE and X-PAYMENT are two payments: send one")
  }
  return Option.some(payment)
})
