import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StatsSort } from "../../../schemas/engagement/reads/ReadStats.ts"
import { Day } from "../../../schemas/payments/finance/period.ts"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { StatsPeriod } from "./statsPeriod.ts"
import { COUNTS } from "./Tallies.ts"

const counts = {
  people: Schema.Int,
  agents: Schema.Int,
  crawlers: Schema.Int,
  feeds: Schema.Int,
  people_walls: Schema.Int,
  agent_walls: Schema.Int,
  people_checkouts: Schema.Int,
  agent_checkouts: Schema.Int,
  visitors: Schema.Int,
  people_sales: Schema.Int,
  agent_sales: Schema.Int,
  sources: Schema.Record(Schema.String, Schema.Int)
}
export type StatsCounts = Schema.Struct.Type<typeof counts>

const PostRow = Schema.Struct({ post_id: PostId, title: Schema.String, place: Schema.Int, ...counts })
export type PostStatsRow = typeof PostRow.Type

const DayRow = Schema.Struct({ day: Day, is_month: Schema.Boolean, ...counts })
export type DayStatsRow = typeof DayRow.Type

/** A Post of the owner without a day in the period is one row of the Post alone. */
const PostDayRow = Schema.Union([DayRow, Schema.Struct({ day: Schema.Null })])

const SumRow = Schema.Struct({ title: Schema.String, ...counts })
export type PostSumRow = typeof SumRow.Type

interface PostSlice extends StatsPeriod {
  readonly sort: StatsSort
  readonly after: { readonly place: number; readonly postId: PostId } | undefined
  readonly limit: number
}

/** The columns that add up, those of sales and sources too. */
const SUMMED = [...COUNTS, "visitors", "people_sales", "agent_sales"]

const ORDERS: Readonly<Record<StatsSort, string>> = {
  reads: "people + agents",
  visitors: "visitors",
  walls: "people_walls + agent_walls",
  checkouts: "people_checkouts + agent_checkouts",
  sales: "people_sales + agent_sales"
}

/** Statements that read how often the Posts of an owner are read and sold. */
export const readStatsStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe } = statements(sql, "readStats")
  const columns = sql.literal(COUNTS.join(", "))
  const zeros = sql.literal(COUNTS.map(() => "0").join(", "))
  const summed = sql.literal(SUMMED.join(", "))
  const sums = sql.literal(SUMMED.map((it) => `coalesce(sum(${it}), 0)::integer as ${it}`).join(", "))
  const orZero = sql.literal(SUMMED.map((it) => `coalesce(${it}, 0) as ${it}`).join(", "))
  const merged = sql`merged_sources(variadic coalesce(array_agg(sources), '{}'))`

  /** Selects the reads and the sales of an owner in a period, or of one Post. A payment by x402 is an agent's. */
  const facts = (owner: OwnerId, { from, to }: StatsPeriod, post?: PostId) => sql`
    select post_id, day, ${columns}, visitors, 0 as people_sales, 0 as agent_sales, sources
    from post_reads
    where ${post === undefined ? sql`owner_id = ${owner}` : sql`post_id = ${post}`}
      and day between ${from}::date and ${to}::date
    union all
    select post_id, (settled_at at time zone 'UTC')::date, ${zeros}, 0, (channel <> 'x402')::integer,
      (channel = 'x402')::integer, '{}'::jsonb
    from settlements
    where recipient_id = ${owner} and kind = 'purchase' and state = 'settled' and not duplicate
      and post_id ${post === undefined ? sql`is not null` : sql`= ${post}`}
      and settled_at >= ${from}::date::timestamp at time zone 'UTC'
      and settled_at < (${to}::date + 1)::timestamp at time zone 'UTC'`

  return {
    /** Returns the Posts of an owner that were ever public, those with the largest number first. */
    posts: (owner: OwnerId, { after, limit, sort, ...period }: PostSlice) => {
      const place = sql.literal(ORDERS[sort])
      const isNext =
        after === undefined
          ? sql`true`
          : sql`(${place}, post_id) < (${after.place}::integer, ${after.postId}::uuid)`
      return many("posts", PostRow)`
        select page.post_id, page.title, page.place, ${summed}, s.sources
        from (
          select *, ${place} as place
          from (
            select p.id as post_id, p.title, ${orZero}
            from posts p left join (
              select post_id, ${sums} from (${facts(owner, period)}) f group by post_id) f on f.post_id = p.id
            where p.owner_id = ${owner} and p.first_published_at is not null) numbers
          where ${isNext} order by ${place} desc, post_id desc limit ${sql.literal(String(limit))}) page
        cross join lateral (
          select ${merged} as sources from post_reads
          where post_id = page.post_id and day between ${period.from}::date and ${period.to}::date) s
        order by page.place desc, page.post_id desc`
    },

    /** Returns the days of a Post of an owner, newest first; one row without a day when there are none. */
    days: (owner: OwnerId, post: PostId, period: StatsPeriod) => many("days", PostDayRow)`
      select d.day::text as day, d.is_month, ${summed}, d.sources
      from posts p left join lateral (
        select day, is_month, ${sums}, ${merged} as sources
        from (
          select case when day < ${period.monthlyBefore}::date then date_trunc('month', day)::date else day end as day,
            day < ${period.monthlyBefore}::date as is_month, ${summed}, sources
          from (${facts(owner, period, post)}) f) f
        group by day, is_month) d on true
      where p.id = ${post} and p.owner_id = ${owner}
      order by d.day desc`,

    /** Returns the sums of a Post of an owner. */
    sum: (owner: OwnerId, post: PostId, period: StatsPeriod) => maybe("sum", SumRow)`
      select p.title, s.* from posts p cross join lateral (
        select ${sums}, ${merged} as sources from (${facts(owner, period, post)}) f) s
      where p.id = ${post} and p.owner_id = ${owner}`
  }
})
