import { blake2b } from "@noble/hashes/blake2.js"
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { BlockHash, type BlockWork, type StateBlock } from "../../../schemas/platform/NanoBlock.ts"
import { verifyHex } from "./signatures.ts"

/** The preamble of a state block's hash: 32 bytes that end in 6. Older kinds of block cannot begin with it. */
const PREAMBLE = Uint8Array.from({ length: 32 }, (_, place) => (place === 31 ? 6 : 0))

/** Returns the hash of a block, which names the block and which the account signs. */
export const blockHash = (block: StateBlock): BlockHash =>
  BlockHash.make(bytesToHex(blockDigest(block)).toUpperCase())

const blockDigest = (block: StateBlock) =>
  blake2b(
    concatBytes(
      PREAMBLE,
      hexToBytes(publicKeyOfAddress(block.account)),
      hexToBytes(block.previous),
      hexToBytes(publicKeyOfAddress(block.representative)),
      hexToBytes(block.balance.toString(16).padStart(32, "0")),
      hexToBytes(block.link)
    ),
    { dkLen: 32 }
  )

/**
 * Returns true when the account itself signed the block. The network signs epoch blocks, so they give false. Never
 * throws.
 */
export const isSignedByAccount = (block: StateBlock & { readonly signature: string }): boolean =>
  verifyHex(publicKeyOfAddress(block.account), blockDigest(block), block.signature)

/**
 * The least difficulty of a block's work. Since the network's second epoch, `send` applies to blocks that send or
 * change the representative. `receive` applies to blocks that receive or open. `epoch1` applied to all blocks before
 * that.
 */
export const WORK_THRESHOLDS = {
  send: 0xffff_fff8_0000_0000n,
  receive: 0xffff_fe00_0000_0000n,
  epoch1: 0xffff_ffc0_0000_0000n
} as const

/** Returns the root of a block's work: the previous block, or the account's key for its first block. */
export const workRoot = (block: Pick<StateBlock, "account" | "previous">): BlockHash =>
  /^0+$/.test(block.previous)
    ? BlockHash.make(publicKeyOfAddress(block.account).toUpperCase())
    : block.previous

/**
 * Returns the difficulty of a proof of work: BLAKE2b-64 over the work and the root. Both the bytes and the result are
 * little-endian.
 */
export const workDifficulty = (root: BlockHash, work: BlockWork): bigint => {
  const digest = blake2b(concatBytes(hexToBytes(work).toReversed(), hexToBytes(root)), { dkLen: 8 })
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0, true)
}

/** Returns true when a proof of work reaches the threshold. */
export const isWorkEnough = (
  root: BlockHash,
  work: BlockWork,
  threshold: keyof typeof WORK_THRESHOLDS
): boolean => workDifficulty(root, work) >= WORK_THRESHOLDS[threshold]
