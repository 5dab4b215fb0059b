import { Context, Effect, Layer, Option, Schema } from "effect"
import {
  type DayStats,
  type DayStatsList,
  type DayStatsQuery,
  type PostStats,
  type PostStatsPage,
  type PostStatsQuery,
  STATS_POSTS
} from "../../../schemas/engagement/reads/ReadStats.ts"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { now } from "../../platform/time/now.ts"
import {
  type DayStatsRow,
  type PostStatsRow,
  type PostSumRow,
  readStatsStatements,
  type StatsCounts
} from "./readStats.sql.ts"
import { statsPeriodOf } from "./statsPeriod.ts"

/** The steps of one kind of readers, from the first look to the sale. */
export interface Funnel {
  readonly reads: number
  readonly walls: number
  readonly checkouts: number
  readonly sales: number
}

/** The reads of a Post in a period, by people and agents apart. */
export interface PostReads extends Pick<DayStats, "sources" | "visitors"> {
  readonly title: string
  readonly people: Funnel
  readonly agents: Funnel
  readonly crawlers: number
  readonly feeds: number
}

type Author = OwnerAuthority | PublisherAuthority
type Period = Pick<DayStatsQuery, "from" | "to">

/** Tells authors how often their Posts are read. */
export class ReadStats extends Context.Service<
  ReadStats,
  {
    /** Lists the Posts of an author that were ever public. Fails for a wrong period, and for a cursor of another list. */
    readonly posts: (author: Author, query: PostStatsQuery) => Effect.Effect<PostStatsPage, Validation>
    /** Lists the days on which a Post was read or sold, newest first. Fails for a Post of another author. */
    readonly days: (
      author: Author,
      postId: PostId,
      query: DayStatsQuery
    ) => Effect.Effect<DayStatsList, NotFound | Validation>
    /** Sums a period up for a Post. Fails for a Post of another author. */
    readonly post: (
      author: Author,
      postId: PostId,
      period: Period
    ) => Effect.Effect<PostReads, NotFound | Validation>
  }
>()("pennypress/engagement/reads/ReadStats") {
  static readonly layer = Layer.effect(
    ReadStats,
    Effect.gen(function* () {
      const repo = yield* readStatsStatements
      const cursors = yield* Cursors

      const periodOf = Effect.fnUntraced(function* (asked: Period) {
        const period = statsPeriodOf(asked, (yield* now).toISOString().slice(0, 10))
        return period instanceof Validation ? yield* period : period
      })

      const placeOf = Effect.fnUntraced(function* (list: string, cursor: string | undefined) {
        if (cursor === undefined || cursor === "") return undefined
        const place = Option.flatMap(yield* cursors.read(list, cursor), decodePlace)
        return Option.isSome(place) ? { place: place.value[0], postId: place.value[1] } : yield* wrongCursor
      })

      return ReadStats.of({
        posts: Effect.fn("ReadStats.posts")(function* ({ ownerId }, { cursor, sort = "reads", ...asked }) {
          const period = yield* periodOf(asked)
          const list = JSON.stringify(["stats", ownerId, asked.from, asked.to, sort])
          const after = yield* placeOf(list, cursor)
          const rows = yield* repo.posts(ownerId, { ...period, sort, after, limit: STATS_POSTS + 1 })
          const last = rows.length > STATS_POSTS ? rows[STATS_POSTS - 1] : undefined
          const nextCursor =
            last === undefined ? null : yield* cursors.make(list, [String(last.place), last.post_id])
          return { data: rows.slice(0, STATS_POSTS).map(postStatsOf), nextCursor }
        }),

        days: Effect.fn("ReadStats.days")(function* ({ ownerId }, postId, asked) {
          const rows = yield* repo.days(ownerId, postId, yield* periodOf(asked))
          if (rows.length === 0) return yield* new NotFound()
          return { data: rows.filter((row): row is DayStatsRow => row.day !== null).map(dayStatsOf) }
        }),

        post: Effect.fn("ReadStats.post")(function* ({ ownerId }, postId, asked) {
          const row = yield* repo.sum(ownerId, postId, yield* periodOf(asked))
          return Option.isSome(row) ? postReadsOf(row.value) : yield* new NotFound()
        })
      })
    })
  )
}

const decodePlace = Schema.decodeUnknownOption(Schema.Tuple([Schema.FiniteFromString, PostId]))

const wrongCursor = Effect.suspend(
  () =>
    new Validation({
      errors: [
        {
          field: "cursor",
          code: "invalid",
          message: "Send the nextCursor of this list with the same parameters, or an empty cursor to begin"
        }
      ]
    })
)

const sourcesOf = ({ sources }: StatsCounts) =>
  Object.entries(sources)
    .map(([host, count]) => ({ host, count }))
    .toSorted((one, other) => other.count - one.count || (one.host < other.host ? -1 : 1))

const statsOf = (row: StatsCounts) => ({
  reads: { people: row.people, agents: row.agents, crawlers: row.crawlers, feeds: row.feeds },
  visitors: row.visitors,
  walls: row.people_walls + row.agent_walls,
  checkouts: row.people_checkouts + row.agent_checkouts,
  sales: row.people_sales + row.agent_sales,
  sources: sourcesOf(row)
})

const postStatsOf = (row: PostStatsRow): PostStats => ({
  postId: row.post_id,
  title: row.title,
  ...statsOf(row)
})

const dayStatsOf = (row: DayStatsRow): DayStats => ({
  day: row.day,
  unit: row.is_month ? "month" : "day",
  ...statsOf(row)
})

const postReadsOf = (row: PostSumRow): PostReads => ({
  title: row.title,
  visitors: row.visitors,
  sources: sourcesOf(row),
  people: {
    reads: row.people,
    walls: row.people_walls,
    checkouts: row.people_checkouts,
    sales: row.people_sales
  },
  agents: {
    reads: row.agents,
    walls: row.agent_walls,
    checkouts: row.agent_checkouts,
    sales: row.agent_sales
  },
  crawlers: row.crawlers,
  feeds: row.feeds
})
