import { Context, type Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { NanoAddress } from "../../../../schemas/platform/Nano.ts"
import type { BlockHash, BlockWork } from "../../../../schemas/platform/NanoBlock.ts"

/** The head of a wallet's chain, on which its next block builds. */
export interface WalletHead {
  readonly frontier: BlockHash
  readonly balanceRaw: bigint
  readonly representative: NanoAddress
}

/**
 * The Nano node that a person named in a terminal. It learns the wallet's address and signs nothing. Fails with
 * `nano-provider-not-configured` or `service-unavailable`.
 */
export class NanoProvider extends Context.Service<
  NanoProvider,
  {
    /** Returns the head of an account; undefined for one without a block. */
    readonly account: (address: NanoAddress) => Effect.Effect<WalletHead | undefined, ToolFailure>
    /** Returns work over a root of at least this difficulty. */
    readonly work: (root: BlockHash, threshold: bigint) => Effect.Effect<BlockWork, ToolFailure>
  }
>()("pennypress/mcp/local/ports/NanoProvider") {}
