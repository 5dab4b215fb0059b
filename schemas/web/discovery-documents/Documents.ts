import { Schema } from "effect"
import { ASSET, WorkDemand } from "../../payments/x402/Offer.ts"
import { Timestamp } from "../../platform/Timestamp.ts"

/** Posts that the document names: the newest ones that are for sale. */
export const RESOURCES_MAX = 100

/**
 * Tells crawlers and agents what is for sale, and how to pay. Three forms of this document are in use, and programs of
 * each can read it. `payment` is null while the service takes no payments; `resources` is empty then.
 */
export const PaymentDocument = Schema.Struct({
  version: Schema.Literal(1),
  x402Version: Schema.Literal(2),
  kind: Schema.Literal("resource-server"),
  name: Schema.String,
  description: Schema.String,
  resources: Schema.Array(Schema.String),
  catalog: Schema.String,
  openapi: Schema.String,
  docs: Schema.String,
  llms: Schema.String,
  payment: Schema.NullOr(
    Schema.Struct({
      scheme: Schema.Literal("exact"),
      network: Schema.String,
      asset: Schema.Literal(ASSET),
      decimals: Schema.Int,
      work: WorkDemand,
      workThreshold: Schema.String
    })
  ),
  instructions: Schema.String,
  updated: Schema.NullOr(Timestamp).annotate({
    description: "Time of the last change to a Post in this document; null without one"
  })
}).annotate({ identifier: "PaymentDocument" })
export type PaymentDocument = typeof PaymentDocument.Type

/** Compares the ways to pay, for agents that can use several. `cheapest` is null while the service takes no payments. */
export const RailHint = Schema.Struct({
  cheapest: Schema.NullOr(Schema.String),
  why: Schema.String,
  docs: Schema.String,
  site: Schema.String,
  agentReadme: Schema.String,
  spec: Schema.String
}).annotate({ identifier: "RailHint" })
export type RailHint = typeof RailHint.Type
