import { blake2b } from "@noble/hashes/blake2.js"
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import { Schema, SchemaTransformation } from "effect"
import { NanoAddress, NanoSignature, publicKeyOfAddress, RawAmount } from "../../../schemas/platform/Nano.ts"
import { verifyHex } from "./signatures.ts"

/** The 32 bytes of a block's hash, as the 64 upper-case hex digits that nodes and explorers show; read in either case. */
export const BlockHash = Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/u)).pipe(
  Schema.decodeTo(
    Schema.String.check(Schema.isPattern(/^[0-9A-F]{64}$/u)).pipe(Schema.brand("BlockHash")),
    SchemaTransformation.toUpperCase()
  )
)
export type BlockHash = typeof BlockHash.Type

/** The eight bytes of a proof of work, as 16 hex digits. */
export const BlockWork = Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{16}$/u)).pipe(
  Schema.brand("BlockWork")
)
export type BlockWork = typeof BlockWork.Type

/**
 * What a state block says, as in the node's JSON: `previous` is zeros in an account's first block, `balance` what
 * the account has after the block in raw, `link` the recipient's key when sending, the hash of the sending block
 * when receiving and zeros when changing the representative.
 */
export const StateBlock = Schema.Struct({
  type: Schema.Literal("state"),
  account: NanoAddress,
  previous: BlockHash,
  representative: NanoAddress,
  balance: RawAmount,
  link: BlockHash
})
export type StateBlock = typeof StateBlock.Type

/** A state block that a node would take: signed, and with its work. */
export const SignedBlock = StateBlock.pipe(Schema.fieldsAssign({ signature: NanoSignature, work: BlockWork }))
export type SignedBlock = typeof SignedBlock.Type

/** A block of 32 bytes before what is hashed whose last is 6, which no older kind of block can begin with. */
const PREAMBLE = Uint8Array.from({ length: 32 }, (_, place) => (place === 31 ? 6 : 0))

/** The hash that names a block and that its signature is over. */
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
 * Whether the block is signed by its own account. An epoch block, which the network itself signs, is not. Never
 * throws.
 */
export const isSignedByAccount = (block: StateBlock & { readonly signature: string }): boolean =>
  verifyHex(publicKeyOfAddress(block.account), blockDigest(block), block.signature)

/**
 * The least difficulty of a block's work. Since the network's second epoch `send` is asked of blocks that send or
 * change the representative and `receive` of those that receive or open; `epoch1` was asked of all before it.
 */
export const WORK_THRESHOLDS = {
  send: 0xffff_fff8_0000_0000n,
  receive: 0xffff_fe00_0000_0000n,
  epoch1: 0xffff_ffc0_0000_0000n
} as const

/** What a block's work is over: the previous block, or the account's key when there is none. */
export const workRoot = (block: Pick<StateBlock, "account" | "previous">): BlockHash =>
  /^0+$/.test(block.previous)
    ? BlockHash.make(publicKeyOfAddress(block.account).toUpperCase())
    : block.previous

/** How hard a proof of work is: BLAKE2b-64 over the work and the root, both bytes and result little-endian. */
export const workDifficulty = (root: BlockHash, work: BlockWork): bigint => {
  const digest = blake2b(concatBytes(hexToBytes(work).toReversed(), hexToBytes(root)), { dkLen: 8 })
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0, true)
}

/** Whether a proof of work reaches a threshold. */
export const isWorkEnough = (
  root: BlockHash,
  work: BlockWork,
  threshold: keyof typeof WORK_THRESHOLDS
): boolean => workDifficulty(root, work) >= WORK_THRESHOLDS[threshold]
