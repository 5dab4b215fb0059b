import { Hex } from "effect/encoding"
import { type NanoAddress, NanoSignature, publicKeyOfAddress } from "../../../../schemas/platform/Nano.ts"
import {
  BlockHash,
  type BlockWork,
  type SignedBlock,
  type StateBlock
} from "../../../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../../platform/nano/blocks.ts"
import { sign } from "../../../platform/nano/signatures.ts"
import type { Receivable, WalletHead } from "../ports/NanoProvider.ts"
import type { LocalWallet } from "./wallet.ts"

const NOTHING = BlockHash.make("0".repeat(64))

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

/** Returns the block that receives a send. Without a head it opens the account, which represents itself. */
export const receiveBlock = (
  { account }: LocalWallet,
  head: WalletHead | undefined,
  { amountRaw, hash }: Receivable
): StateBlock => ({
  type: "state",
  account,
  previous: head?.frontier ?? NOTHING,
  representative: head?.representative ?? account,
  balance: (head?.balanceRaw ?? 0n) + amountRaw,
  link: hash
})

/** Signs a block. Nothing is sent to the ledger. */
export const signedBlock = (
  { privateKey }: LocalWallet,
  block: StateBlock,
  work: BlockWork
): { readonly hash: BlockHash; readonly block: SignedBlock } => {
  const hash = blockHash(block)
  const digest = Uint8Array.from(hash.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const signature = NanoSignature.make(Hex.encode(sign(privateKey, digest)))
  return { hash, block: { ...block, signature, work } }
}
