import { Redacted, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { PaymentTerms } from "../../../../schemas/payments/x402/PaymentRequired.ts"
import { type BlockWork, SignedBlock, type StateBlock } from "../../../../schemas/platform/NanoBlock.ts"
import { signedBlock } from "../wallet/blocks.ts"
import type { LocalWallet } from "../wallet/wallet.ts"

const encodeBlock = Schema.encodeSync(SignedBlock)

/** Signs a block, and returns the header that pays with it. Nothing is sent to the ledger. */
export const paymentOf = (
  wallet: LocalWallet,
  { accepts: [accepted], resource }: PaymentTerms,
  block: StateBlock,
  work: BlockWork
) => {
  const { block: signed, hash: transaction } = signedBlock(wallet, block, work)
  const payload = { block: encodeBlock(signed) }
  const json = JSON.stringify({ x402Version: 2, resource, accepted, payload })
  return {
    header: Redacted.make(Base64.encode(new TextEncoder().encode(json))),
    frontier: block.previous,
    transaction
  }
}
