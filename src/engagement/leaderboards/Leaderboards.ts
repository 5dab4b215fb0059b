import { Context, Effect, Layer } from "effect"
import {
  type Board,
  type Leaderboard,
  LEADERBOARD_LIMIT_DEFAULT,
  type LeaderboardQuery,
  type Period
} from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { ReadPool } from "../../platform/ports/ReadPool.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, MINUTE_MILLIS, now } from "../../platform/time/now.ts"
import type { Claim } from "../../platform/work/lease.ts"
import { type ClaimedLeaderboard, leaderboardStatements, type PartRow } from "./leaderboards.sql.ts"

/** Time between two refreshes of a leaderboard (spec 8). */
const REFRESH_MILLIS = 5 * MINUTE_MILLIS

const DAYS: Readonly<Record<Exclude<Period, "all">, number>> = { month: 30, week: 7 }

/** Boards whose values are counts. The values of all others are amounts in raw. */
const COUNTS: ReadonlySet<Board> = new Set(["creator_sales", "creator_followers"])

/** Tags answers that show a leaderboard. */
export const leaderboardsTag = "leaderboards"

/** Creators and supporters by rank (spec 4.5). */
export class Leaderboards extends Context.Service<
  Leaderboards,
  {
    /** Reads the rows of the last refresh, and the rank of the viewer, shown or not. */
    readonly read: (query: LeaderboardQuery, viewer: OwnerId | null) => Effect.Effect<Leaderboard>
    /** Claims leaderboards that are due. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedLeaderboard>>
    /** Ranks the owners again, in one transaction. Does nothing when the claim has ended. */
    readonly refresh: (claimed: ClaimedLeaderboard) => Effect.Effect<void>
  }
>()("pennypress/engagement/leaderboards/Leaderboards") {
  static readonly layer = Layer.effect(
    Leaderboards,
    Effect.gen(function* () {
      const boards = yield* leaderboardStatements
      const media = yield* OwnMedia
      const transactions = yield* Transactions
      const { changing } = yield* PublicAnswers
      const readPool = yield* ReadPool

      return Leaderboards.of({
        read: Effect.fn("Leaderboards.read")(function* (query, viewer) {
          const { board, limit = LEADERBOARD_LIMIT_DEFAULT, offset = 0, period = "all" } = query
          const rows = yield* readPool.run(boards.read({ board, period, viewer, limit, offset }))
          const leaderboard = {
            board,
            period,
            rows: rows.flatMap((row) => rowOf(board, row, media)),
            total: rows[0]?.total ?? 0
          }
          return viewer === null ? leaderboard : { ...leaderboard, my_rank: myRankOf(board, rows[0]) }
        }),

        claim: boards.claim,

        refresh: Effect.fn("Leaderboards.refresh")(function* (claimed) {
          const at = yield* now
          const { period } = claimed
          const since = period === "all" ? null : later(at, -DAYS[period] * DAY_MILLIS)
          yield* transactions.run(
            Effect.gen(function* () {
              if (!(yield* boards.complete(claimed, later(at, REFRESH_MILLIS)))) return
              if (yield* boards.replace(claimed, since)) yield* changing([leaderboardsTag])(Effect.void)
            })
          )
        })
      })
    })
  )
}

const valueOf = (board: Board, value: string) => (COUNTS.has(board) ? Number(value) : value)

const rowOf = (board: Board, row: PartRow, { urlOf }: OwnMedia["Service"]): Leaderboard["rows"] => {
  if (row.id === null) return []
  const { author_kind: authorKind, avatar_url, handle, id, name, rank, value } = row
  return [
    {
      rank,
      profile: { id, name, handle, avatarUrl: urlOf(avatar_url), authorKind },
      value: valueOf(board, value)
    }
  ]
}

const myRankOf = (board: Board, row: PartRow | undefined) =>
  row === undefined || row.my_rank === null || row.my_value === null
    ? null
    : { rank: row.my_rank, value: valueOf(board, row.my_value) }
