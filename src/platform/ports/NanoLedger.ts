import {
  Context,
  type Effect,
  type HashSet,
  type Option,
  Schema,
  type Stream,
  type SubscriptionRef
} from "effect"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"

/** The ledger is unavailable. Nothing is known then, least of all that something was not paid. */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  reason: Schema.Literals(["unreachable", "timeout", "refused", "protocol", "out_of_sync", "off"])
}) {}

/**
 * The ledger refuses a block. `fork` means that another block follows the same `previous`; `gap` means that the node
 * lacks `previous`.
 */
export class LedgerRefused extends Schema.TaggedError<LedgerRefused>()("LedgerRefused", {
  reason: Schema.Literals(["fork", "gap", "work", "signature", "balance", "other"])
}) {}

/** The head of an account's chain. */
export interface LedgerAccount {
  readonly frontier: BlockHash
  readonly balanceRaw: bigint
  /** The newest block that the network confirmed; null when none is. */
  readonly confirmedFrontier: BlockHash | null
}

/** A block on the ledger. */
export interface LedgerBlock {
  readonly hash: BlockHash
  readonly account: NanoPublicKey
  readonly previous: BlockHash
  readonly subtype: "send" | "receive" | "open" | "change" | "epoch"
  readonly link: BlockHash
  /** The raw that the block moved. */
  readonly amountRaw: bigint
  readonly isConfirmed: boolean
  /** The node's time for the block; null if the node does not know it. */
  readonly ledgerTime: Date | null
}

/** The Nano ledger. The payer makes a block's work; no adapter does. */
export class NanoLedger extends Context.Service<
  NanoLedger,
  {
    /** `off`: no payment can be taken. `development`: money of a ledger of this service's own. */
    readonly kind: "node" | "development" | "off"
    /** The CAIP-2 name, such as `nano:mainnet`. */
    readonly network: string
    readonly workThreshold: bigint
    /** True while calls are refused because the last ones failed. */
    readonly isAway: Effect.Effect<boolean>
    readonly account: (key: NanoPublicKey) => Effect.Effect<Option.Option<LedgerAccount>, LedgerUnavailable>
    readonly block: (hash: BlockHash) => Effect.Effect<Option.Option<LedgerBlock>, LedgerUnavailable>
    /** Publishes a send block. `known` means that the ledger has it already. */
    readonly publish: (
      block: SignedBlock
    ) => Effect.Effect<"accepted" | "known", LedgerRefused | LedgerUnavailable>
    /** Returns sends to an account since a moment, newest first, received by it or not. */
    readonly incoming: (
      key: NanoPublicKey,
      since: Date
    ) => Effect.Effect<ReadonlyArray<LedgerBlock>, LedgerUnavailable>
    /** Confirmed blocks that send to or from one of these accounts. Best effort: it may miss some. */
    readonly confirmations: (
      keys: SubscriptionRef.SubscriptionRef<HashSet.HashSet<NanoPublicKey>>
    ) => Stream.Stream<LedgerBlock>
  }
>()("pennypress/platform/ports/NanoLedger") {}
