import { Redacted, Schema } from "effect"
import { Base64, Hex } from "effect/encoding"
import type { PaymentTerms } from "../../../../schemas/payments/x402/PaymentRequired.ts"
import { type NanoAddress, NanoSignature, publicKeyOfAddress } from "../../../../schemas/platform/Nano.ts"
import {
  BlockHash,
  type BlockWork,
  SignedBlock,
  type StateBlock
} from "../../../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../../platform/nano/blocks.ts"
import { sign } from "../../../platform/nano/signatures.ts"
import type { WalletHead } from "../ports/NanoProvider.ts"
import type { LocalWallet } from "../setup/wallet.ts"

const encodeBlock = Schema.encodeSync(SignedBlock)

/** Returns the block that sends an amount, on the head of a wallet. */
export const sendBlock = (
  { account }: LocalWallet,
  { balanceRaw, frontier, representative }: WalletHead,
  payTo: NanoAddress,
  amountRaw: bigint
): StateBlock => ({
  type: "state",
  account,
  previous: frontier,
  representative,
  balance: balanceRaw - amountRaw,
  link: BlockHash.make(publicKeyOfAddress(payTo).toUpperCase())
})

/** Signs a block, and returns the header that pays with it. Nothing is sent to the ledger. */
export const paymentOf = (
  { privateKey }: LocalWallet,
  { accepts: [accepted], resource }: PaymentTerms,
  block: StateBlock,
  work: BlockWork
) => {
  const transaction = blockHash(block)
  const digest = Uint8Array.from(transaction.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const signature = NanoSignature.make(Hex.encode(sign(privateKey, digest)))
  const payload = { block: encodeBlock({ ...block, signature, work }) }
  const json = JSON.stringify({ x402Version: 2, resource, accepted, payload })
  return {
    header: Redacted.make(Base64.encode(new TextEncoder().encode(json))),
    frontier: block.previous,
    transaction
  }
}
