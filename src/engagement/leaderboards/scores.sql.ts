import { Effect } from "effect"
import type { Board } from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import { PaymentScores, type Scores } from "../../platform/leaderboards/paymentScores.sql.ts"

/** All followers, as Profiles show them, or the current followers whose follow began in a period. */
const followers: Scores = (sql, since) =>
  since === null
    ? sql`select id as owner_id, follower_count::numeric as value from owners where follower_count > 0`
    : sql`
      select creator_id as owner_id, count(*)::numeric as value from follows
      where ended_at is null and created_at >= ${since} group by creator_id`

const none: Scores = (sql) => sql`select null::uuid as owner_id, null::numeric as value where false`

/** The scores of each board. Those of payments are empty until payments provide them. */
export const boardScores = Effect.map(PaymentScores, (payments): Readonly<Record<Board, Scores>> => ({
  creator_followers: followers,
  creator_sales: payments?.creator_sales ?? none,
  creator_earnings: payments?.creator_earnings ?? none,
  supporters: payments?.supporters ?? none
}))

/** The preference by which an owner is shown on each board. */
export const shownBy = {
  creator_followers: "show_on_creator_leaderboards",
  creator_sales: "show_on_creator_leaderboards",
  creator_earnings: "show_on_creator_leaderboards",
  supporters: "show_on_supporter_leaderboard"
} as const satisfies Readonly<Record<Board, string>>
