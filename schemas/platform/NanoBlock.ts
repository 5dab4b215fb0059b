import { Schema, SchemaTransformation } from "effect"
import { NanoAddress, NanoSignature, RawAmount } from "./Nano.ts"

/** The 32 bytes of a block's hash as 64 upper-case hex digits, as nodes and explorers show it. Reads either case. */
export const BlockHash = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{64}$/u, { expected: "64 hexadecimal digits" })
).pipe(
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
 * The content of a state block, as in the node's JSON. `previous` is zeros in an account's first block. `balance` is
 * the account's balance after the block, in raw. `link` is the recipient's key when sending and the hash of the sending
 * block when receiving. It is zeros when changing the representative.
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

/** A state block that a node would accept: with its signature and its work. */
export const SignedBlock = StateBlock.pipe(Schema.fieldsAssign({ signature: NanoSignature, work: BlockWork }))
export type SignedBlock = typeof SignedBlock.Type
