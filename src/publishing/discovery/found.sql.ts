import type { SqlClient, Statement } from "effect/sql"
import type { PostSort } from "../../../schemas/publishing/discovery/query.ts"
import type { SummaryFilter } from "./listOrder.ts"
import { kindOf, makeMatching, WALKED, WALKED_FIRST } from "./matching.sql.ts"

/** The list that is made of what is found. */
interface List {
  readonly sort: PostSort
  /** Number of its Posts, with those before its beginning. */
  readonly count: number
  /** The condition on `p.place` and `p.id` that begins it after a cursor. */
  readonly beyond: Statement.Fragment
  /** Reads the first Posts of the list with their `place`, without the filters that no index in this order has. */
  readonly walk: (count: number) => Statement.Fragment
}

/**
 * Makes the queries (CTEs) of a list with words or filters. The last two are `chosen`, the Posts of the list in no order, and
 * `found`, the number of all that match, up to `TOTAL_MAX`.
 *
 * PostgreSQL cannot know how many Posts have a rare or mistyped word. So each part has one plan, and what was found before
 * chooses the next part:
 *
 * - `first`: what many Posts have is found among the first Posts in the order of the list.
 * - `near`: with some matches among these, enough are among more Posts in this order.
 * - `few`: the index of words and facts finds all hits, and few of them are sorted.
 * - `near of many`: of many hits, enough are among these Posts, too.
 * - `all of many`: otherwise all hits are sorted, as for a word that only old Posts have.
 *
 * The number of hits of a common word would take longer than its list. Where there are many Posts, a sample tells that it
 * is beyond the maximum.
 */
export const makeFound = (sql: SqlClient.SqlClient) => {
  const { and, candidates, counted, countOf, fewOf, isCommon, isPart, matches, most, number, ofAuthor } =
    makeMatching(sql)

  const place = (sort: PostSort) =>
    sort === "newest"
      ? sql.literal("p.published_at")
      : sql.literal(
          `(select ${sort === "most_reacted" ? "reactions" : "purchases"} from post_counts where post_id = p.id)`
        )

  return (filter: SummaryFilter, { beyond, count, sort, walk }: List): Statement.Fragment => {
    const onAuthor = ofAuthor(filter)
    const isOfAuthor = onAuthor.length > 0
    const author = and(onAuthor)
    const enough = WALKED_FIRST[kindOf(filter)]
    const walkedFirst = count <= enough / 2 ? enough : 0
    const walked = count <= WALKED / 2 ? WALKED : 0
    // This many matches among the first Posts promise enough among more.
    const promising = Math.ceil((count * walkedFirst) / WALKED)
    const few = fewOf(filter)
    const firstOf = (posts: number) => sql`
      select p.id, p.place from (${walk(posts)}) p where ${matches(filter)}
      order by p.place desc, p.id desc limit ${number(count)}`
    return sql`
      first as materialized (${firstOf(walkedFirst)}),
      is_whole as materialized (
        select ${countOf("first")} < ${number(count)}
          and (select count(*) from (${walk(walkedFirst)}) p) < ${number(walkedFirst)} as so),
      near as materialized (${firstOf(walked)}),
      hits as materialized (
        select p.id, p.owner_id, p.published_at from ${candidates(filter)} limit ${few} + 1),
      few as materialized (select p.id, ${place(sort)} as place from hits p where ${author}),
      plan as materialized (
        select case
          when ${countOf("first")} = ${number(count)} or (select so from is_whole) then 'first'
          when ${countOf("first")} >= ${number(promising)} and ${countOf("near")} = ${number(count)} then 'near'
          when ${countOf("hits")} <= ${few} then 'few'
          when ${countOf("near")} = ${number(count)}
            or (select count(*) from (${walk(walked)}) p) < ${number(walked)} then 'near of many'
          else 'all of many' end as part),
      chosen as (
        select p.id, p.place from first p where ${isPart("first")}
        union all select p.id, p.place from near p where ${isPart("near")} or ${isPart("near of many")}
        union all select p.id, p.place from few p where ${isPart("few")} and ${beyond}
        union all
        select p.id, p.place from (
          select p.id, ${place(sort)} as place from ${candidates(filter)} and ${author} offset 0) p
        where ${isPart("all of many")} and ${beyond}),
      found as (
        select case when (select so from is_whole) then ${countOf("first")}
          when ${isPart("few")} then least(${countOf("few")}, ${most})
          when ${sql.literal(String(!isOfAuthor))} and (select part from plan) like '% of many' then ${most}
          when ${isCommon(filter)} then ${most}
          else ${counted(filter)} end as total)`
  }
}
