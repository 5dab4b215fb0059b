import type { SqlClient, Statement } from "effect/sql"

/**
 * Selects `owner_id uuid` and `value numeric`, one row for each owner with a score since a moment; null means from the
 * beginning. A value is at least 1.
 */
export type Scores = (sql: SqlClient.SqlClient, since: Date | null) => Statement.Fragment

/** Sums the days of a table from the UTC day of a moment on. */
const sums =
  (table: "earnings_daily" | "support_daily", value: string): Scores =>
  (sql, since) => {
    const days = since === null ? sql`true` : sql`day >= (${since}::timestamptz at time zone 'UTC')::date`
    return sql`
      select owner_id, sum(${sql.literal(value)})::numeric as value from ${sql(table)} where ${days}
      group by owner_id having sum(${sql.literal(value)}) > 0`
  }

/**
 * The scores of leaderboards that come from payments: the sales and the earnings (in raw) of a creator, and the amounts
 * (in raw) that a supporter paid. A period begins with its first day.
 */
export const paidScores = {
  creator_sales: sums("earnings_daily", "sales"),
  creator_earnings: sums("earnings_daily", "sales_raw + tips_raw"),
  supporters: sums("support_daily", "sales_raw + tips_raw")
}

/**
 * Returns the condition that lists of supporters show an owner. A person is shown only by choice; an agent unless it chose
 * otherwise.
 */
export const isShownSupporter = (preferences: string, owner: string): string =>
  `coalesce(${preferences}.show_on_supporter_leaderboard, ${owner}.author_kind = 'agent')`
