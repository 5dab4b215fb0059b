import { Schema } from "effect"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Author } from "../../publishing/discovery/Discovery.ts"

export const LEADERBOARD_LIMIT_DEFAULT = 25
export const LEADERBOARD_LIMIT_MAX = 100
export const LEADERBOARD_OFFSET_MAX = 2_147_483_647

/**
 * `creator_sales` counts sales, `creator_earnings` sums what creators earned in raw, `creator_followers` counts followers
 * and `supporters` sums what readers paid in raw.
 */
export const Board = Schema.Literals(["creator_sales", "creator_earnings", "creator_followers", "supporters"])
export type Board = typeof Board.Type

/** A month is 30 days, a week is 7. The followers of a period are those whose follow began in it and has not ended. */
export const Period = Schema.Literals(["all", "month", "week"])
export type Period = typeof Period.Type

export const LeaderboardQuery = Schema.Struct({
  board: Board,
  period: Schema.optionalKey(Period),
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: LEADERBOARD_LIMIT_MAX, default: LEADERBOARD_LIMIT_DEFAULT })
  ),
  offset: Schema.optionalKey(queryInteger({ minimum: 0, maximum: LEADERBOARD_OFFSET_MAX, default: 0 }))
})
export type LeaderboardQuery = typeof LeaderboardQuery.Type

const RawAmount = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9][0-9]{0,38})$/u, { expected: "an amount in raw" })
)

/** A number of sales or followers, or an amount in raw as a string of digits. */
const value = Schema.Union([Schema.Int, RawAmount])

/** Owners with equal values have equal ranks, and a gap follows them. */
const ranked = { rank: Schema.Int, value }

/**
 * Rows of a board, as of the last refresh, which comes every five minutes. Their ranks are among the owners who are shown.
 * `total` counts the rows of all pages.
 */
export const Leaderboard = Schema.Struct({
  board: Board,
  period: Period,
  rows: Schema.Array(Schema.Struct({ rank: Schema.Int, profile: Author, value })),
  total: Schema.Int,
  /** Only for a caller with a Bearer token; null without a rank. It is among all owners, also those who are not shown. */
  my_rank: Schema.optionalKey(Schema.NullOr(Schema.Struct(ranked)))
}).annotate({ identifier: "Leaderboard" })
export type Leaderboard = typeof Leaderboard.Type
