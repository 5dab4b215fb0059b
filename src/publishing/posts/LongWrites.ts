import { Context, Effect, Layer, PartitionedSemaphore } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { PostContent } from "./content.ts"

/**
 * Number of characters in both sections from which a Post counts as long: the database indexes that many words in a
 * tenth of a second.
 */
const LONG_CHARACTERS = 50_000

/**
 * Number of long Posts that one process writes at the same time. Two are hardly faster on two cores, and make others wait twice
 * as long.
 */
export const LONG_WRITES_MAX = 1

const lengthOf = ({ free_content_markdown, paid_content_markdown }: PostContent) =>
  (free_content_markdown?.length ?? 0) + (paid_content_markdown?.length ?? 0)

/** Queues the writes of long Posts, so that many of them leave the database time for other requests. */
export class LongWrites extends Context.Service<
  LongWrites,
  {
    /**
     * Runs a write at once, or in its turn if the Post is long. Owners take turns, so that one with many long Posts
     * delays the others by one write. A waiting write holds no connection.
     */
    readonly inTurn: <A, E, R>(
      owner: OwnerId,
      content: PostContent,
      write: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("pennypress/publishing/posts/LongWrites") {
  static readonly layer = Layer.effect(
    LongWrites,
    Effect.map(PartitionedSemaphore.make<OwnerId>({ permits: LONG_WRITES_MAX }), (turns) =>
      LongWrites.of({
        inTurn: (owner, content, write) =>
          lengthOf(content) < LONG_CHARACTERS ? write : turns.withPermit(owner)(write)
      })
    )
  )
}
