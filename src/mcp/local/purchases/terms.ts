import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { PaymentTerms } from "../../../../schemas/payments/x402/PaymentRequired.ts"
import { marked } from "../failures/marked.ts"
import { isLoopback } from "../http/Origin.ts"

const MAINNET = "nano:mainnet"

/** The network of ledgers for development, whose money has no value. */
const DEVELOPMENT = "nano:dev"

/** Checks that terms ask for this amount for this Post on this origin, on a network that a wallet may pay on. */
export const checkTerms = (
  { accepts: [offer], resource }: PaymentTerms,
  wanted: { readonly origin: string; readonly postId: string; readonly amountRaw: bigint }
): Effect.Effect<void, ToolFailure> => {
  const isFor =
    resource.url === `${wanted.origin}/api/posts/${wanted.postId}/access` &&
    BigInt(offer.amount) === wanted.amountRaw
  if (!isFor) return Effect.fail(marked("price-changed"))
  const isPayable = offer.network === MAINNET || (offer.network === DEVELOPMENT && isLoopback(wanted.origin))
  return isPayable ? Effect.void : Effect.fail(marked("wallet-cannot-sign"))
}
