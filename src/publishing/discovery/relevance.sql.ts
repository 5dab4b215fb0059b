import type { SqlClient, Statement } from "effect/sql"
import type { SummaryFilter } from "./listOrder.ts"
import { FEW, kindOf, makeMatching, WALKED, WALKED_FIRST } from "./matching.sql.ts"

/** Number of newest matches that are compared for relevance. */
const RANKED = 1_000

/** Matches among the newest Posts that make a list by relevance long enough: five pages, or one where there are many hits. */
const ENOUGH = { expected: 100, ofMany: 20 }

/** The unit of a rank: the first power of ten above all moments in microseconds. */
const RANK = "10000000000000000"

/**
 * Makes the queries of a search by relevance. Its place is one number: the rank of the Post, then its moment. What is ranked
 * depends on the words and filters alone, so that a cursor finds the same order:
 *
 * - `near`: matches among the newest Posts, when enough of these match.
 * - `few`: all hits of the index, when they are few.
 * - `all of many`: all hits of a word that the newest Posts do not have.
 * - `titled`: in each case also the newest matches with the words in the title, which has an index of its own, unless
 *   more than a few thousand titles have them.
 */
export const makeRelevance = (sql: SqlClient.SqlClient) => {
  const {
    and,
    candidates,
    counted,
    countOf,
    fewOf,
    isCommon,
    isPart,
    matches,
    most,
    number,
    ofAuthor,
    postOf,
    wordsOf
  } = makeMatching(sql)

  return (
    filter: SummaryFilter,
    beyond: Statement.Fragment,
    walk: (count: number) => Statement.Fragment
  ): Statement.Fragment => {
    const words = wordsOf(filter.q ?? "")
    const onAuthor = ofAuthor(filter)
    const author = and(onAuthor)
    const isOfAuthor = sql.literal(String(onAuthor.length > 0))
    const few = fewOf(filter)
    const walkedFirst = WALKED_FIRST[kindOf(filter)]
    const promising = Math.ceil((ENOUGH.expected * walkedFirst) / WALKED)
    const newest = sql`order by p.published_at desc, p.id desc limit ${number(RANKED)}`
    const isComplete = sql`(${isOfAuthor} and (select so from is_whole))`
    return sql`
      first as materialized (
        select from (${walk(walkedFirst)}) p where ${matches(filter)} limit ${number(promising)}),
      near as materialized (
        select p.id from (${walk(WALKED)}) p where ${matches(filter)}
        order by p.place desc, p.id desc limit ${number(RANKED)}),
      is_whole as materialized (
        select (select count(*) from (${walk(WALKED)}) p) < ${number(WALKED)} as so),
      hits as materialized (
        select p.id, p.owner_id, p.published_at from ${candidates(filter)} limit ${few} + 1),
      titled as materialized (
        select p.id, p.published_at from public_posts p where p.title_words @@ ${words} limit ${number(FEW)} + 1),
      plan as materialized (
        select case
          when ${countOf("first")} = ${number(promising)} and ${countOf("near")} >= ${number(ENOUGH.expected)}
            or ${isComplete} then 'near'
          when ${countOf("hits")} <= ${few} then 'few'
          when ${countOf("near")} >= ${number(ENOUGH.ofMany)} then 'near of many'
          else 'all of many' end as part),
      ranked as materialized (
        (select p.id from near p where ${isPart("near")} or ${isPart("near of many")})
        union (select p.id from hits p where ${isPart("few")} and ${author} ${newest})
        union (select p.id from ${candidates(filter)} and ${author} and ${isPart("all of many")} ${newest})
        union (
          select p.id from titled t ${postOf("t.id")}
          where not ${isComplete} and ${countOf("titled")} <= ${number(FEW)} and ${matches(filter)} ${newest})),
      placed as materialized (
        select p.id,
          case when p.title_words @@ ${words} then 3 when ts_filter(p.search, '{a,b}') @@ ${words} then 2 else 1 end
            * ${sql.literal(RANK)} + (extract(epoch from p.published_at) * 1000000)::bigint as place
        from ranked r ${postOf("r.id")}),
      chosen as (select p.id, p.place from placed p where ${beyond}),
      found as (
        select case when ${isComplete} then least(${countOf("near")}, ${most})
          when ${isPart("few")} then least((select count(*) from hits p where ${author}), ${most})
          when not ${isOfAuthor} and (select part from plan) like '% of many' then ${most}
          when ${isCommon(filter)} then ${most}
          else ${counted(filter)} end as total)`
  }
}
