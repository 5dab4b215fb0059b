import { Option, Schema, SchemaTransformation } from "effect"
import { OFFER_SECONDS, WorkDemand } from "../../../schemas/payments/x402/Offer.ts"
import { NanoAddress, RawAmount } from "../../../schemas/platform/Nano.ts"
import { bytesOfBase62 } from "../../platform/secrets/base62.ts"
import type { Sent } from "../x402/readPayment.ts"

/** The members of an offer that a payer echoes, beside scheme, network and asset. Hex is read in either case. */
const EchoedTerms = Schema.Struct({
  amount: RawAmount,
  payTo: NanoAddress,
  maxTimeoutSeconds: Schema.Literal(OFFER_SECONDS),
  extra: Schema.Struct({
    intentId: Schema.String,
    validBefore: Schema.Int,
    work: WorkDemand,
    workThreshold: Schema.String.pipe(Schema.decodeTo(Schema.String, SchemaTransformation.toLowerCase()))
  })
})
type EchoedTerms = typeof EchoedTerms.Type

/** The two parts of a quote. */
interface QuoteParts {
  readonly name: string
  readonly mac: Uint8Array
}

const QUOTE = /^ppi_([0-9A-Za-z]{22})_([0-9A-Za-z]{43})$/
const MAC_BYTES = 32

/** Returns the parts of a quote; none for another text. */
export const partsOf = (intentId: string): Option.Option<QuoteParts> => {
  const [, name = "", mac = ""] = QUOTE.exec(intentId) ?? []
  return Option.map(bytesOfBase62(mac, MAC_BYTES), (bytes) => ({ name, mac: bytes }))
}

/** Returns the terms that a payer echoes; none when a member is missing or no such term. */
export const echoedTerms: (accepted: Sent) => Option.Option<EchoedTerms> =
  Schema.decodeUnknownOption(EchoedTerms)
