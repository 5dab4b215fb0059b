import { Option, Schema, SchemaTransformation } from "effect"
import { OFFER_SECONDS, WorkDemand } from "../../../schemas/payments/x402/Offer.ts"
import { NanoAddress, RawAmount } from "../../../schemas/platform/Nano.ts"
import { bytesOfBase62 } from "../../platform/secrets/base62.ts"
import type { PaymentTarget } from "../settlement/PaymentTarget.ts"
import type { Sent } from "../x402/readPayment.ts"

/** The terms that a quote binds. */
export interface Terms {
  readonly target: PaymentTarget
  readonly amountRaw: bigint
  readonly payTo: NanoAddress
}

/** Terms with a name that makes their quote unique. */
export interface QuotedTerms extends Terms {
  /** The digits that name the quote. */
  readonly name: string
  readonly network: string
  /** Unix time in seconds. */
  readonly validBefore: number
}

const linesOf = (target: PaymentTarget) =>
  target.kind === "purchase"
    ? [target.kind, target.postId]
    : [target.kind, target.postId ?? "", target.commentId ?? "", target.recipientId]

/** Returns the text that the service signs: a line for each term, so that two quotes never share a text. */
export const textOfTerms = ({ amountRaw, name, network, payTo, target, validBefore }: QuotedTerms): string =>
  ["quote/1", name, network, ...linesOf(target), amountRaw, payTo, validBefore].join("\n")

/** The members of an offer that a payer echoes, in addition to scheme, network and asset. Hex is read in either case. */
const SentTerms = Schema.Struct({
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
type SentTerms = typeof SentTerms.Type

/** The two parts of a quote. */
interface QuoteParts {
  readonly name: string
  readonly mac: Uint8Array
}

const QUOTE = /^ppi_([0-9A-Za-z]{22})_([0-9A-Za-z]{43})$/
const MAC_BYTES = 32

/** Returns the parts of a quote; none for another text. */
export const quotePartsOf = (intentId: string): Option.Option<QuoteParts> => {
  const [, name = "", mac = ""] = QUOTE.exec(intentId) ?? []
  return Option.map(bytesOfBase62(mac, MAC_BYTES), (bytes) => ({ name, mac: bytes }))
}

/** Returns the terms that a payer echoes; none when a member is missing or no such term. */
export const readTerms: (accepted: Sent) => Option.Option<SentTerms> = Schema.decodeUnknownOption(SentTerms)
