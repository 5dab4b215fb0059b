import { Context, type Effect, Schema } from "effect"
import type { BlockHash, BlockWork } from "../../../schemas/platform/NanoBlock.ts"

/** No server made the work. The block is as good as before, and the work may be made later. */
export class WorkUnavailable extends Schema.TaggedError<WorkUnavailable>()("WorkUnavailable", {
  reason: Schema.Literals(["off", "unreachable", "timeout", "refused", "protocol"])
}) {}

/** Makes the proof of work of blocks whose payers cannot. */
export class WorkMaker extends Context.Service<
  WorkMaker,
  {
    /** `none`: payers make their work themselves. */
    readonly kind: "server" | "none"
    /** Returns work over this root of at least this difficulty. Waits for its turn, as making work is dear. */
    readonly make: (root: BlockHash, threshold: bigint) => Effect.Effect<BlockWork, WorkUnavailable>
  }
>()("pennypress/platform/ports/WorkMaker") {}
