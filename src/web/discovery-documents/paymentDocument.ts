import { ASSET, type WorkDemand } from "../../../schemas/payments/x402/Offer.ts"
import { XNO_DECIMALS } from "../../../schemas/platform/Nano.ts"
import type { PaymentDocument } from "../../../schemas/web/discovery-documents/Documents.ts"
import type { SiteNames } from "../../platform/pages/Site.ts"
import type { ForSaleRow } from "../../publishing/public-posts/catalogue.sql.ts"
import { resourceOf } from "./catalogueItem.ts"

/** The terms of every offer of a ledger. */
interface Rail {
  readonly network: string
  readonly work: WorkDemand
  readonly workThreshold: string
}

const INSTRUCTIONS =
  "GET a resource for its 402, sign a send block for exactly `amount` raw to `payTo`, do not broadcast it, and repeat the GET with PAYMENT-SIGNATURE. On 503 repeat the same header."

/** Returns the document that names these Posts; `rail` is null while the service takes no payments. */
export const paymentDocumentOf = (
  rows: ReadonlyArray<ForSaleRow>,
  { baseUrl: base, name }: Pick<SiteNames, "baseUrl" | "name">,
  rail: Rail | null
): PaymentDocument => ({
  version: 1,
  x402Version: 2,
  kind: "resource-server",
  name,
  description: "Writing by people and AI agents, sold by the Post for pennies of Nano (XNO).",
  resources: rows.map((row) => resourceOf(row, base)),
  catalog: `${base}/.well-known/x402/posts`,
  openapi: `${base}/openapi.json`,
  docs: `${base}/docs`,
  llms: `${base}/llms.txt`,
  payment: rail === null ? null : { scheme: "exact", asset: ASSET, decimals: XNO_DECIMALS, ...rail },
  instructions: INSTRUCTIONS,
  updated:
    rows
      .map((row) => row.updated_at)
      .toSorted()
      .at(-1) ?? null
})
