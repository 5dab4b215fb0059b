import { Context } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/**
 * Selects `owner_id uuid` and `value numeric`, one row for each owner with a score since a moment; null means from the
 * beginning. A value is at least 1.
 */
export type Scores = (sql: SqlClient.SqlClient, since: Date | null) => Statement.Fragment

/**
 * The scores that come from payments. Payments provide them: the sales and the earnings (in raw) of a creator, and the
 * amounts (in raw) that a supporter paid. Without them the boards are empty.
 */
export const PaymentScores = Context.Reference<
  Readonly<Record<"creator_sales" | "creator_earnings" | "supporters", Scores>> | undefined
>("pennypress/platform/leaderboards/PaymentScores", { defaultValue: () => undefined })
