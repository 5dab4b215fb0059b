import { Context, type Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { NanoAddress } from "../../../../schemas/platform/Nano.ts"
import type { BlockHash, BlockWork, SignedBlock } from "../../../../schemas/platform/NanoBlock.ts"

/** The head of a wallet's chain, on which its next block builds. */
export interface WalletHead {
  readonly frontier: BlockHash
  readonly balanceRaw: bigint
  readonly representative: NanoAddress
}

/** A send that its recipient has not received yet. */
export interface Receivable {
  readonly hash: BlockHash
  /** The amount in the words of the node. The network refuses a block that receives another amount. */
  readonly amountRaw: bigint
}

/**
 * An answer to a block. `accepted`: the node has it, from now on or from before. `fork`: the node has another block in
 * its place. `gap`: the node lacks a block that it follows. `refused`: it breaks a rule of the network.
 */
export type PublishAnswer = "accepted" | "fork" | "gap" | "refused"

/**
 * The Nano node that a person named in a terminal. It learns the wallet's address and signs nothing. Fails with
 * `nano-provider-not-configured` or `service-unavailable`.
 */
export class NanoProvider extends Context.Service<
  NanoProvider,
  {
    /**
     * Returns the head of an account; undefined for one without a block. The hash of the head proves the balance: on a wrong
     * one, a send would give away the difference.
     */
    readonly account: (address: NanoAddress) => Effect.Effect<WalletHead | undefined, ToolFailure>
    /** Returns confirmed sends to an account that it has not received, the largest first. */
    readonly receivable: (address: NanoAddress) => Effect.Effect<ReadonlyArray<Receivable>, ToolFailure>
    /**
     * Returns work over a root of this difficulty. Without `isLeast`, the node may answer less: a ledger for development
     * takes less.
     */
    readonly work: (
      root: BlockHash,
      threshold: bigint,
      isLeast: boolean
    ) => Effect.Effect<BlockWork, ToolFailure>
    /** Returns the state of a block on the ledger. */
    readonly block: (hash: BlockHash) => Effect.Effect<"absent" | "confirmed" | "pending", ToolFailure>
    /** Gives a block to the ledger, once or again. */
    readonly publish: (
      block: SignedBlock,
      kind: "receive" | "send"
    ) => Effect.Effect<PublishAnswer, ToolFailure>
  }
>()("pennypress/mcp/local/ports/NanoProvider") {}
