import { Context, type Effect } from "effect"

/**
 * A second pool of connections, to a database that may be seconds behind. Reads pick it themselves, where seconds do not
 * matter: search, related Posts, leaderboards and sitemaps.
 */
export const ReadPool = Context.Reference<{
  /** Runs a read outside of transactions on the second pool, or on the database itself while that one fails. */
  readonly run: <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>("pennypress/platform/ports/ReadPool", { defaultValue: () => ({ run: (read) => read }) })
