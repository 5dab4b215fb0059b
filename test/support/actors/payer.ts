import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Option } from "effect"
import { MEMORY_WORK_THRESHOLD, NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import {
  type NanoAddress,
  NanoSignature,
  publicKeyOfAddress,
  RAW_PER_XNO
} from "../../../schemas/platform/Nano.ts"
import {
  BlockHash,
  BlockWork,
  type SignedBlock,
  type StateBlock
} from "../../../schemas/platform/NanoBlock.ts"
import { blockHash, workDifficulty, workRoot } from "../../../src/platform/nano/blocks.ts"
import { sign } from "../../../src/platform/nano/signatures.ts"
import type { LedgerBook } from "../../../src/platform/ports/DevelopmentLedger.ts"
import { walletOf } from "./owner.ts"

type Wallet = ReturnType<typeof walletOf>

/** Returns work for a root, by trying one number after the other. Zeros would stand for no work. */
const workFor = (root: BlockHash, threshold: bigint = MEMORY_WORK_THRESHOLD): BlockWork => {
  for (let nonce = 1n; ; nonce++) {
    const work = BlockWork.make(nonce.toString(16).padStart(16, "0"))
    if (workDifficulty(root, work) >= threshold) return work
  }
}

/** Signs a block with a wallet and makes its work. */
export const signedBlock = (wallet: Wallet, block: StateBlock, threshold?: bigint): SignedBlock => ({
  ...block,
  signature: NanoSignature.make(bytesToHex(sign(wallet.privateKey, hexToBytes(blockHash(block))))),
  work: workFor(workRoot(block), threshold)
})

/** Returns the form of a block in the JSON of nodes and of payments. */
export const wireBlock = (block: SignedBlock) => ({ ...block, balance: block.balance.toString() })

const NOTHING = BlockHash.make("0".repeat(64))

/** A wallet on the test's ledger; the same number gives the wallet of `walletOf`, so that it can sign in too. */
export const payerOf = (number: number) => Effect.map(NanoLedgerMemory, ({ book }) => payerOn(book, number))

/** A wallet on a ledger. */
export const payerOn = (book: LedgerBook, number: number) => {
  const wallet = walletOf(number)
  const key = publicKeyOfAddress(wallet.account)
  const head = Effect.map(book.chain(key, 1), ([entry]) => entry)

  /** Makes the block after the newest, or after another one. */
  const next = Effect.fnUntraced(function* (
    change: (balance: bigint) => Pick<StateBlock, "balance" | "link">,
    after?: BlockHash
  ) {
    const previous = after === undefined ? yield* head : Option.getOrUndefined(yield* book.entry(after))
    return signedBlock(wallet, {
      type: "state",
      account: wallet.account,
      representative: wallet.account,
      previous: previous?.hash ?? NOTHING,
      ...change(previous?.block.balance ?? 0n)
    })
  })

  /** Receives everything that was sent to the wallet. */
  const pocket = Effect.gen(function* () {
    for (const send of yield* book.receivable(key, 100)) {
      yield* book.process(yield* next((balance) => ({ balance: balance + send.amountRaw, link: send.hash })))
    }
  })

  /** Makes a block that sends, and publishes nothing. It follows the wallet's newest block, or `after`. */
  const send = (to: NanoAddress, amountRaw: bigint, after?: BlockHash) =>
    next(
      (balance) => ({
        balance: balance - amountRaw,
        link: BlockHash.make(publicKeyOfAddress(to).toUpperCase())
      }),
      after
    )

  return {
    wallet,
    account: wallet.account,
    key,
    head,
    /** Signs a block and makes its work. */
    signed: (block: StateBlock) => signedBlock(wallet, block),
    next,
    pocket,
    send,
    /** Gets money of the faucet and receives it: 10 XNO by default. */
    fund: (amountRaw: bigint = 10n * RAW_PER_XNO) => Effect.andThen(book.faucet(key, amountRaw), pocket),
    /** Sends money by the payer's own node, past the service. Returns the block's entry. */
    pay: (to: NanoAddress, amountRaw: bigint) => Effect.flatMap(send(to, amountRaw), book.process)
  }
}
