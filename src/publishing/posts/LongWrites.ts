import { Context, Effect, Layer, Semaphore } from "effect"
import type { PostContent } from "./content.ts"

/** Characters of both sections from which a Post is long: the database indexes that many words in a tenth of a second. */
const LONG_CHARACTERS = 50_000

/** Long Posts that one process writes at once. Two leave others waiting twice as long on two cores, and are hardly faster. */
export const LONG_WRITES_MAX = 1

const lengthOf = ({ free_content_markdown, paid_content_markdown }: PostContent) =>
  (free_content_markdown?.length ?? 0) + (paid_content_markdown?.length ?? 0)

/** Has long Posts wait for each other, so that writing many of them leaves the database time for everybody else. */
export class LongWrites extends Context.Service<
  LongWrites,
  {
    /** Begin a write in its turn, before it takes a connection: who waits holds nothing. */
    readonly inTurn: <A, E, R>(content: PostContent, write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("pennypress/publishing/posts/LongWrites") {
  static readonly layer = Layer.effect(
    LongWrites,
    Effect.map(Semaphore.make(LONG_WRITES_MAX), (turns) =>
      LongWrites.of({
        inTurn: (content, write) =>
          lengthOf(content) < LONG_CHARACTERS ? write : turns.withPermits(1)(write)
      })
    )
  )
}
