import type { SqlClient, Statement } from "effect/sql"
import { TOTAL_MAX } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { PostSort } from "../../../schemas/publishing/discovery/query.ts"
import type { SummaryFilter } from "./listOrder.ts"
import { isPhrase, searchQueryOf } from "./searchQuery.ts"

/** Maximum number of hits that are sorted before more Posts are looked through. Each costs 1 to 5 µs. */
const FEW = 4_000

/** Number of Posts that are looked through in the order of the list. To look for words costs 7 µs for each. */
const WALKED = 2_000

/** Number of Posts that are looked through before anything else. None for pages far behind. */
const WALKED_FIRST = { words: 200, phrases: 1_000, facts: 1_000 }

/** Number of public Posts from which on a sample tells that a total is large. */
const MANY_POSTS = 100_000

/** The moments of a sample, as shares of the time since the first Post, and the number of Posts from each on. */
const SAMPLED = { moments: [0.2, 0.4, 0.6, 0.8], posts: 25 }

/** Number of Posts of the sample that tells that more than one Post of a hundred matches. */
const SAMPLED_MIN = 8

/** Tells what a list is searched for. The index has no order of words, so each Post with those of a phrase is read. */
const kindOf = ({ q }: SummaryFilter) => {
  if (q === undefined) return "facts"
  return isPhrase(q) ? "phrases" : "words"
}

const lexeme = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

/** Spells the facts of a filter as `search_facts` of the database does, as a query of the index. */
const factsOf = ({ access, categoryId, language }: SummaryFilter) =>
  [
    ...(access === undefined ? [] : [`:${access}`]),
    ...(categoryId === undefined ? [] : [`c:${categoryId}`]),
    ...(language === undefined ? [] : [`l:${language.toLowerCase()}`])
  ]
    .map(lexeme)
    .join(" & ")

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
 *
 * Words stand in subqueries, so that no plan depends on them. `limit` and `offset 0` keep a search and an order apart.
 */
export const makeFound = (sql: SqlClient.SqlClient) => {
  const number = (value: number) => sql.literal(String(value))
  const and = (all: ReadonlyArray<Statement.Fragment>) => (all.length === 0 ? sql`true` : sql.and(all))

  const wordsOf = (q: string) => sql`(select to_tsquery('words', ${searchQueryOf(q) ?? ""}))`
  const isOwner = (handle: string) =>
    sql`p.owner_id = (select id from owners where lower(handle) = lower(${handle}))`

  /** Finds Posts by the best index: the one of words and facts, or those of an author or a kind of authors. */
  const candidates = (filter: SummaryFilter): Statement.Fragment => {
    const { authorKind, handle, q } = filter
    const facts = factsOf(filter)
    const parts = [
      ...(q === undefined ? [] : [wordsOf(q)]),
      ...(facts === "" ? [] : [sql`(select ${facts}::tsquery)`])
    ]
    if (parts.length > 0)
      return sql`public_posts p where ${sql.and(parts.map((part) => sql`p.search @@ ${part}`))}`
    return handle === undefined
      ? sql`post_author_kinds a join public_posts p on p.id = a.post_id where a.author_kind = (select ${authorKind}::text)`
      : sql`public_posts p where ${isOwner(handle)}`
  }

  /** Conditions on the author, which the index of words does not have. */
  const ofAuthor = ({ authorKind, handle }: SummaryFilter) => [
    ...(handle === undefined ? [] : [isOwner(handle)]),
    ...(authorKind === undefined
      ? []
      : [sql`(select author_kind from post_author_kinds where post_id = p.id) = ${authorKind}`])
  ]

  /** All conditions on the columns of `posts p`, the cheapest first. */
  const matches = (filter: SummaryFilter) => {
    const { access, categoryId, language, q } = filter
    return and([
      ...(access === undefined
        ? []
        : [access === "paid" ? sql`p.enable_paywall` : sql`not p.enable_paywall`]),
      ...(categoryId === undefined
        ? []
        : [sql`${categoryId} in (p.primary_category_id, p.secondary_category_id)`]),
      ...(language === undefined
        ? []
        : [
            sql`(lower(p.language) = lower(${language}) or starts_with(lower(p.language), lower(${language}) || '-'))`
          ]),
      ...ofAuthor(filter),
      ...(q === undefined ? [] : [sql`p.search @@ ${wordsOf(q)}`])
    ])
  }

  const place = (sort: PostSort) =>
    sort === "newest"
      ? sql.literal("p.published_at")
      : sql.literal(
          `(select ${sort === "most_reacted" ? "reactions" : "purchases"} from post_counts where post_id = p.id)`
        )

  /** True if a sample of Posts of all times tells that far more match than are counted. */
  const isCommon = (filter: SummaryFilter) => sql`
    (select sum(posts) from published_post_counts) >= ${number(MANY_POSTS)} and (
      select count(*) from (
        select from (
          select (select published_at from public_posts order by published_at limit 1) as since,
            (select published_at from public_posts order by published_at desc limit 1) as until) life
        cross join unnest(array[${sql.literal(SAMPLED.moments.join(", "))}]) share
        cross join lateral (
          select * from public_posts p where p.published_at <= life.since + share * (life.until - life.since)
          order by p.published_at desc, p.id desc limit ${number(SAMPLED.posts)}) p
        where ${matches(filter)} limit ${number(SAMPLED_MIN)}) sample) = ${number(SAMPLED_MIN)}`

  /**
   * Counts what matches, among the Posts of an author if one is asked for. `offset 0` keeps PostgreSQL from looking up the words
   * among the Posts of all others, too.
   */
  const counted = (filter: SummaryFilter) => {
    const among =
      filter.handle === undefined
        ? sql`${candidates(filter)} and ${and(ofAuthor(filter))}`
        : sql`(select * from public_posts p where ${isOwner(filter.handle)} offset 0) p where ${matches(filter)}`
    return sql`(select count(*) from (select from ${among} limit ${number(TOTAL_MAX)}) p)`
  }

  return (filter: SummaryFilter, { beyond, count, sort, walk }: List): Statement.Fragment => {
    const onAuthor = ofAuthor(filter)
    const isOfAuthor = onAuthor.length > 0
    const author = and(onAuthor)
    const enough = WALKED_FIRST[kindOf(filter)]
    const walkedFirst = count <= enough / 2 ? enough : 0
    const walked = count <= WALKED / 2 ? WALKED : 0
    // This many matches among the first Posts promise enough among more.
    const promising = Math.ceil((count * walkedFirst) / WALKED)
    const most = number(TOTAL_MAX)
    const few = number(kindOf(filter) === "phrases" ? TOTAL_MAX : FEW)
    const firstOf = (posts: number) => sql`
      select p.id, p.place from (${walk(posts)}) p where ${matches(filter)}
      order by p.place desc, p.id desc limit ${number(count)}`
    const countOf = (part: string) => sql.literal(`(select count(*) from ${part})`)
    const isPart = (part: string) => sql.literal(`(select part from plan) = '${part}'`)
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
