import { Context, Effect } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"

/** Numbers of sales and of tips. */
interface Sold {
  readonly sales: number
  readonly tips: number
}

/**
 * Sales and tips that an owner received. Payments provide it, and daily summaries tell of it; without payments there are
 * none. Payments also call the SQL function `summary_due` with the owner and the time of each sale and tip.
 */
export const Sales = Context.Reference<{
  /** Counts what settled from the first moment on, and before the second. */
  readonly settled: (owner: OwnerId, from: Date, until: Date) => Effect.Effect<Sold>
}>("pennypress/platform/sales/Sales", {
  defaultValue: () => ({ settled: () => Effect.succeed({ sales: 0, tips: 0 }) })
})
