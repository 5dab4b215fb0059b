import { Context, type Effect } from "effect"
import type { LogPosition } from "./Signals.ts"

/**
 * Servers that follow the database a moment later. Only the maker of public answers may use them. What one reader may
 * see, what a payer relies on, and what a writer reads after a write come from the database itself.
 */
export const Replicas = Context.Reference<{
  /**
   * Runs a read outside of transactions on a replica that has every change up to a position. Waits a moment for one.
   * Runs the read on the database itself without a position, without such a replica, when the replica fails, and when
   * its result is not current.
   */
  readonly read: <A, E, R>(
    atLeast: LogPosition | undefined,
    read: Effect.Effect<A, E, R>,
    isCurrent: (result: A) => boolean
  ) => Effect.Effect<A, E, R>
}>("pennypress/platform/ports/Replicas", { defaultValue: () => ({ read: (_, read) => read }) })
