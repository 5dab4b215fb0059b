import { Schema } from "effect"
import { Day } from "../../payments/finance/period.ts"
import { Cursor } from "../../platform/Cursor.ts"
import { PostId } from "../../platform/Ids.ts"

/** Days that a period has without `from`, and at most. */
export const STATS_DAYS_DEFAULT = 30
export const STATS_DAYS_MAX = 366

/** Posts of a page. */
export const STATS_POSTS = 50

/** The first and the last day of a period in UTC. */
const period = {
  from: Schema.optionalKey(Day),
  to: Schema.optionalKey(Day.annotate({ description: "The last day in UTC" }))
}

/** The number by which Posts are ordered, the largest first. */
export const StatsSort = Schema.Literals(["reads", "visitors", "walls", "checkouts", "sales"])
export type StatsSort = typeof StatsSort.Type

export const PostStatsQuery = Schema.Struct({
  ...period,
  sort: Schema.optionalKey(StatsSort),
  cursor: Schema.optionalKey(Cursor)
})
export type PostStatsQuery = typeof PostStatsQuery.Type

export const DayStatsQuery = Schema.Struct(period)
export type DayStatsQuery = typeof DayStatsQuery.Type

/** Reads by their kind. A feed reads each Post in it. */
const Reads = Schema.Struct({
  people: Schema.Int,
  agents: Schema.Int,
  crawlers: Schema.Int,
  feeds: Schema.Int
}).annotate({ identifier: "Reads" })

const Source = Schema.Struct({ host: Schema.String, count: Schema.Int }).annotate({
  identifier: "ReadSource"
})

const stats = {
  reads: Reads,
  visitors: Schema.Int.annotate({ description: "People and agents, each once a day." }),
  walls: Schema.Int.annotate({ description: "Times that the price of the rest was shown." }),
  checkouts: Schema.Int,
  sales: Schema.Int,
  sources: Schema.Array(Source).annotate({ description: "Hosts of referrers: at most 50, and `other`." })
}

/** The reads of a Post in a period. */
export const PostStats = Schema.Struct({ postId: PostId, title: Schema.String, ...stats }).annotate({
  identifier: "PostStats"
})
export type PostStats = typeof PostStats.Type

/** The reads of a Post on a day, or in the month that begins with it. */
export const DayStats = Schema.Struct({
  day: Day,
  unit: Schema.Literals(["day", "month"]),
  ...stats
}).annotate({ identifier: "DayStats" })
export type DayStats = typeof DayStats.Type

/** A page of Posts. `nextCursor` continues the list, and is null after the last page. */
export const PostStatsPage = Schema.Struct({
  data: Schema.Array(PostStats),
  nextCursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PostStatsPage" })
export type PostStatsPage = typeof PostStatsPage.Type

/** The days of a period on which a Post was read or sold, newest first. */
export const DayStatsList = Schema.Struct({ data: Schema.Array(DayStats) }).annotate({
  identifier: "DayStatsList"
})
export type DayStatsList = typeof DayStatsList.Type
