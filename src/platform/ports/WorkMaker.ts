import { Context, type Effect, Schema } from "effect"
import type { BlockHash, BlockWork } from "../../../schemas/platform/NanoBlock.ts"

/** No server generated the work. The block is still valid, and the work may be generated later. */
export class WorkUnavailable extends Schema.TaggedError<WorkUnavailable>()("WorkUnavailable", {
  reason: Schema.Literals(["off", "unreachable", "timeout", "refused", "protocol"])
}) {}

/** Generates the proof of work of blocks for payers who cannot. */
export class WorkMaker extends Context.Service<
  WorkMaker,
  {
    /** `none`: payers make their work themselves. */
    readonly kind: "server" | "none"
    /**
     * Returns work over this root of at least this difficulty. Waits for its turn, because generating work is
     * expensive.
     */
    readonly make: (root: BlockHash, threshold: bigint) => Effect.Effect<BlockWork, WorkUnavailable>
  }
>()("pennypress/platform/ports/WorkMaker") {}
