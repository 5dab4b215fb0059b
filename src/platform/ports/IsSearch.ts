import { Context } from "effect"

/**
 * Marks statements whose cost depends on what a reader asks for. A database layer runs them on connections of their own,
 * with a shorter timeout, so that no other statement waits behind them. A client that does not read the mark runs them
 * like all others.
 */
export const IsSearch = Context.Reference<boolean>("pennypress/platform/ports/IsSearch", {
  defaultValue: () => false
})
