import type { PaymentScores, Scores } from "../../../platform/leaderboards/paymentScores.sql.ts"

/** Sums the days of a table from the UTC day of a moment on. */
const sums =
  (table: "earnings_daily" | "support_daily", value: string): Scores =>
  (sql, since) => {
    const days = since === null ? sql`true` : sql`day >= (${since}::timestamptz at time zone 'UTC')::date`
    return sql`
      select owner_id, sum(${sql.literal(value)})::numeric as value from ${sql(table)} where ${days}
      group by owner_id having sum(${sql.literal(value)}) > 0`
  }

/** The scores of leaderboards that come from payments. A period begins with its first day. */
export const paidScores: NonNullable<(typeof PaymentScores)["Service"]> = {
  creator_sales: sums("earnings_daily", "sales"),
  creator_earnings: sums("earnings_daily", "sales_raw + tips_raw"),
  supporters: sums("support_daily", "sales_raw + tips_raw")
}
