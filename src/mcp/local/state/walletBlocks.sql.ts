import { Schema } from "effect"
import { NanoAddress } from "../../../../schemas/platform/Nano.ts"
import { BlockHash, SignedBlock } from "../../../../schemas/platform/NanoBlock.ts"
import type { Transaction } from "../ports/StateStore.ts"

const WalletBlockRow = Schema.Struct({
  hash: BlockHash,
  kind: Schema.Literals(["receive", "send"]),
  block: Schema.fromJsonString(SignedBlock),
  amount_raw: Schema.BigIntFromString,
  recipient: Schema.NullOr(NanoAddress),
  status: Schema.Literals(["sending", "confirmed", "refused"])
})

/**
 * A block that the wallet itself gives to the ledger: it receives money, or sends it at a person's word. `sending`: the
 * ledger may have it. `confirmed`: the ledger has it for good. `refused`: the ledger never takes it.
 */
export interface WalletBlock {
  readonly hash: BlockHash
  readonly kind: "receive" | "send"
  readonly block: SignedBlock
  readonly amountRaw: bigint
  /** The account that a send pays. */
  readonly recipient: NanoAddress | null
  readonly status: "confirmed" | "refused" | "sending"
}

const decode = Schema.decodeUnknownSync(WalletBlockRow)
const encodeBlock = Schema.encodeSync(Schema.fromJsonString(SignedBlock))

const walletBlockOf = (found: unknown): WalletBlock => {
  const { amount_raw: amountRaw, ...row } = decode(found)
  return { ...row, amountRaw }
}

/** Returns the block that may be with the ledger. There is one at most, as each follows the one before. */
export const openWalletBlock = (tx: Transaction): WalletBlock | undefined => {
  const found = tx.first(`select * from wallet_blocks where status = 'sending' order by made_at limit 1`)
  return found === undefined ? undefined : walletBlockOf(found)
}

/** Returns a block by its hash. */
export const readWalletBlock = (tx: Transaction, hash: string): WalletBlock | undefined => {
  const found = tx.first(`select * from wallet_blocks where hash = ?`, hash)
  return found === undefined ? undefined : walletBlockOf(found)
}

/** Returns the time of the newest send of this amount to an account, in milliseconds since 1970. */
export const lastSendAt = (tx: Transaction, recipient: string, amountRaw: bigint): number | undefined => {
  const found = tx.first(
    `select ended_at from wallet_blocks
     where kind = 'send' and status = 'confirmed' and recipient = ? and amount_raw = ?
     order by ended_at desc limit 1`,
    recipient,
    amountRaw.toString()
  )?.["ended_at"]
  return typeof found === "number" ? found : undefined
}

/** Saves a block that is about to be given to the ledger. A refused one is tried again. */
export const saveWalletBlock = (tx: Transaction, made: Omit<WalletBlock, "status">): void => {
  tx.run(
    `insert into wallet_blocks (hash, kind, previous, block, amount_raw, recipient, status, made_at)
     values (?, ?, ?, ?, ?, ?, 'sending', ?)
     on conflict (hash) do update set status = 'sending', block = excluded.block, ended_at = null`,
    made.hash,
    made.kind,
    made.block.previous,
    encodeBlock(made.block),
    made.amountRaw.toString(),
    made.recipient,
    tx.now
  )
}

/** Ends a block, also one that was refused and is on the ledger after all. */
export const endWalletBlock = (tx: Transaction, hash: string, status: "confirmed" | "refused"): void => {
  tx.run(`update wallet_blocks set status = ?, ended_at = ? where hash = ?`, status, tx.now, hash)
}
