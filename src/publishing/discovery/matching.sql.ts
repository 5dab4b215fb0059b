import type { SqlClient, Statement } from "effect/sql"
import { TOTAL_MAX } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { SummaryFilter } from "./listOrder.ts"
import { isPhrase, searchQueryOf } from "./searchQuery.ts"

/** Maximum number of hits that are sorted before more Posts are looked through. Each costs 1 to 5 µs. */
export const FEW = 4_000

/** Number of Posts that are looked through in the order of the list. To look for words costs 7 µs for each. */
export const WALKED = 2_000

/** Number of Posts that are looked through before anything else. None for pages far behind. */
export const WALKED_FIRST = { words: 200, phrases: 1_000, facts: 1_000 }

/** Number of public Posts from which on a sample tells that a total is large. */
const MANY_POSTS = 100_000

/** The moments of a sample, as shares of the time since the first Post, and the number of Posts from each on. */
const SAMPLED = { moments: [0.2, 0.4, 0.6, 0.8], posts: 25 }

/** Number of Posts of the sample that tells that more than one Post of a hundred matches. */
const SAMPLED_MIN = 8

/** Tells what a list is searched for. The index has no order of words, so each Post with those of a phrase is read. */
export const kindOf = ({ q }: SummaryFilter) => {
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

/**
 * Makes the parts that queries of searches share. Words stand in subqueries, so that no plan depends on
 * them. `limit` and `offset 0` keep a search and an order apart.
 */
export const makeMatching = (sql: SqlClient.SqlClient) => {
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

  /** Reads the Post of each row of another query. `offset 0` keeps the planner from reading all Posts instead. */
  const postOf = (id: string) =>
    sql`cross join lateral (select * from public_posts where public_posts.id = ${sql.literal(id)} offset 0) p`

  const most = number(TOTAL_MAX)
  const fewOf = (filter: SummaryFilter) => number(kindOf(filter) === "phrases" ? TOTAL_MAX : FEW)
  const countOf = (part: string) => sql.literal(`(select count(*) from ${part})`)
  const isPart = (part: string) => sql.literal(`(select part from plan) = '${part}'`)

  return {
    and,
    candidates,
    counted,
    countOf,
    fewOf,
    isCommon,
    isOwner,
    isPart,
    matches,
    most,
    number,
    ofAuthor,
    postOf,
    wordsOf
  }
}
