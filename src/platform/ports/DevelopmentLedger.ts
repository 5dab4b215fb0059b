import { Context, type Effect, Option, Schema } from "effect"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { LedgerRefused, type LedgerUnavailable } from "./NanoLedger.ts"

/** A block on a ledger of the service's own. */
export interface LedgerEntry {
  readonly hash: BlockHash
  readonly block: SignedBlock
  readonly account: NanoPublicKey
  readonly subtype: "send" | "receive" | "open" | "change"
  /** The raw that the block moved. */
  readonly amountRaw: bigint
  /** Place in the chain of its account, from 1. */
  readonly height: number
  readonly createdAt: Date
  /** Time from which the block counts as confirmed; null for never. */
  readonly confirmedAt: Date | null
}

/** Returns true when a block counts as confirmed at this time. */
export const isConfirmed = ({ confirmedAt }: LedgerEntry, now: Date) =>
  confirmedAt !== null && confirmedAt <= now

/** A refusal of a block, both in the words of a node and as the ledger port reports it. */
export class BlockRefused extends Schema.TaggedError<BlockRefused>()("BlockRefused", {
  words: Schema.String,
  reason: LedgerRefused.fields.reason
}) {}

/** Accepts and reports blocks of any kind, as a node does. */
export interface LedgerBook {
  readonly entry: (hash: BlockHash) => Effect.Effect<Option.Option<LedgerEntry>, LedgerUnavailable>
  /** Returns at most `count` blocks of an account, newest first, from this height down. */
  readonly chain: (
    account: NanoPublicKey,
    count: number,
    fromHeight?: number
  ) => Effect.Effect<ReadonlyArray<LedgerEntry>, LedgerUnavailable>
  /** Returns the newest confirmed block of an account. */
  readonly confirmedHead: (
    account: NanoPublicKey
  ) => Effect.Effect<Option.Option<LedgerEntry>, LedgerUnavailable>
  /** Returns at most `count` sends to an account that it has not received, newest first. */
  readonly receivable: (
    account: NanoPublicKey,
    count: number
  ) => Effect.Effect<ReadonlyArray<LedgerEntry>, LedgerUnavailable>
  /** Accepts a block, which must have this subtype if one is named. */
  readonly process: (
    block: SignedBlock,
    subtype?: LedgerEntry["subtype"]
  ) => Effect.Effect<LedgerEntry, BlockRefused | LedgerUnavailable>
  /** Sends new money to an account. The block is confirmed at once. */
  readonly faucet: (
    account: NanoPublicKey,
    amountRaw: bigint
  ) => Effect.Effect<LedgerEntry, BlockRefused | LedgerUnavailable>
}

/** The ledger of a service in development; none if the service has another ledger. */
export const DevelopmentLedger = Context.Reference<Option.Option<LedgerBook>>(
  "pennypress/platform/ports/DevelopmentLedger",
  { defaultValue: Option.none }
)
