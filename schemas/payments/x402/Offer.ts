import { Schema } from "effect"
import { RawDigits } from "../../platform/Nano.ts"

/** Seconds for which an offer holds: making work on a slow processor takes minutes. */
export const OFFER_SECONDS = 900

/** The asset of every offer: Nano, in raw. */
export const ASSET = "XNO"

/** A quote: 22 digits that name it, and 43 that only the service can make. */
const Quote = Schema.String.check(
  Schema.isPattern(/^ppi_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/u, { expected: "a quote of this service" })
)

/** Says whether a payer must generate the work of the block, or may leave it to the service. */
export const WorkDemand = Schema.Literals(["required", "optional"])
export type WorkDemand = typeof WorkDemand.Type

/** The digest of a version of a Post. */
export const VersionSha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)).annotate({
  identifier: "VersionSha256",
  description:
    "SHA-256, in hex, of what a buyer gets: of the JSON {files: [{id, sha256}], free, paid, title} without spaces (RFC 8785), in UTF-8, with the files in the order of their ids. A file that is still `receiving` is not a part of it"
})

/** One way to pay, in the form of x402 version 2: a payer echoes it without a change. */
export const Offer = Schema.Struct({
  scheme: Schema.Literal("exact"),
  network: Schema.NonEmptyString.annotate({
    description: "The CAIP-2 name of the ledger, such as nano:mainnet"
  }),
  asset: Schema.Literal(ASSET),
  amount: RawDigits,
  payTo: Schema.String.check(Schema.isPattern(/^nano_[13][13456789a-km-uw-z]{59}$/u)).annotate({
    description: "The Nano address that the block sends to"
  }),
  maxTimeoutSeconds: Schema.Literal(OFFER_SECONDS),
  extra: Schema.Struct({
    intentId: Quote.annotate({ description: "The quote. Keep it secret: it proves the payment" }),
    validBefore: Schema.Int.annotate({ description: "Unix time in seconds at which the offer ends" }),
    work: WorkDemand.annotate({
      description: "If it is optional, the service generates the work for a block that has none"
    }),
    workThreshold: Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/u)).annotate({
      description: "The minimum difficulty of the block's work"
    }),
    /** The version of a Post that is for sale; absent for a tip. The answer to the payment has that of the version sold. */
    versionSha256: Schema.optionalKey(VersionSha256)
  })
}).annotate({ identifier: "Offer" })
export type Offer = typeof Offer.Type
