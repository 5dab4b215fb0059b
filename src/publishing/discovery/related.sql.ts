import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { publishedPosts } from "./publishedCounts.sql.ts"
import { summaryColumns, type SummaryRow } from "./summary.ts"

/** Number of words of a Post that others are compared by. */
const WORDS = 6

/** Number of the strongest words. Similar Posts share two of them. */
const SEARCHED_WORDS = 4

/** Maximum number of Posts with a word, as far as PostgreSQL knows. More frequent words tell little and cost much. */
const POSTS_OF_WORD_MAX = 5_000

/** Number of the newest Posts of a category, and of the newest of all Posts, that are compared. */
const NEWEST = 16

/** Maximum number of Posts with two of the words that are found. Common words are left out, so there are hardly more. */
const FOUND = 2_000

/** Number of the newest Posts with some of the words that are compared. */
const SIMILAR = 24

/** The similarity that a shared category counts for: about two words in both titles. */
const CATEGORY = 0.2

/** The frequency of a word about which PostgreSQL knows nothing, because it is rare or the table was not analyzed yet. */
const RARE = 0.001

/** The language without its region: readers of `en-GB` read `en-US`. */
const language = (post: string) => `split_part(lower(${post}.language), '-', 1)`

const isShared = (category: string) =>
  `coalesce(${category} in (it.primary_category_id, it.secondary_category_id), false)::integer`

/** Words in the form that a query has them. */
const quoted = (word: string) => `'''' || replace(replace(${word}, '\\', '\\\\'), '''', '''''') || ''''`

/** The words in title and description of the Post `it`, without the most frequent ones of English. */
const ownWords = `
  select w.* from it cross join unnest(ts_filter(it.search, '{a,b}')) w
  where ts_lexize('english_stem', w.lexeme) is distinct from '{}'`

/**
 * Those of its words that many Posts have, with the share of Posts that have each, as PostgreSQL found when it last
 * analyzed the Posts. Reading its statistics takes a millisecond.
 */
const commonWords = `
  select common.word, common.frequency
  from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) as common (word, frequency)
  where schemaname = current_schema() and tablename = 'posts' and attname = 'search'
    and common.word = any(array(select lexeme from own_words))`

/**
 * The strongest words in title and description of the Post `it`: in the title rather than the description, often in the
 * Post, and rarely in others, as estimated from the statistics of the planner.
 */
const strongestWords = `
  select ${quoted("lexeme")} as word, row_number() over strongest as place
  from (
    select w.*, (select frequency from common_words where word = w.lexeme) as frequency from own_words w) w
  where frequency is null or frequency * ${publishedPosts} <= ${POSTS_OF_WORD_MAX}
  window strongest as (order by
    case when 'A' = any(weights) then 2 else 1 end * cardinality(positions)
      * -ln(coalesce(frequency, ${RARE})) desc, lexeme)
  order by place limit ${WORDS}`

/** Columns of `posts p` that Posts are compared by: those of the CTE `it` and of its candidates. */
const comparedColumns = `
  p.id, p.language, p.primary_category_id, p.secondary_category_id, p.published_at, p.search`

/**
 * The newest public Posts with two of the strongest words. The inner limit has no order: PostgreSQL would walk the newest
 * Posts, perhaps all of them, as it cannot know how rare the words are.
 */
const similar = `(
  select p.* from (
    select ${comparedColumns} from public_posts p
    where p.search @@ (select two_words from queries) limit ${FOUND}) p
  order by p.published_at desc, p.id desc limit ${SIMILAR})`

/** The newest public Posts that fulfil a condition, by a short walk of an index. */
const newest = (condition: string, count: number) => `(
  select ${comparedColumns} from public_posts p where ${condition}
  order by p.published_at desc, p.id desc limit ${count})`

/**
 * Queries (CTEs) of the Posts that are related to the one Post of the CTE `it`: `related` has ids with a `position`. Only
 * some Posts are compared, so that the cost does not grow with their number: the newest of its categories, of those that
 * share two of its strongest words, and of all.
 */
const relatedTo = `
  own_words as materialized (${ownWords}),
  common_words as materialized (${commonWords}),
  words as materialized (${strongestWords}),
  searched as (select * from words where place <= ${SEARCHED_WORDS}),
  queries as materialized (
    select
      (select string_agg(word, '|') from words)::tsquery as any_word,
      (select string_agg(word || '&(' || weaker || ')', '|') from (
        select one.word, (select string_agg(other.word, '|') from searched other where other.place > one.place) as weaker
        from searched one) pairs)::tsquery as two_words
  ),
  candidates as (
    select newest.* from it cross join unnest(array[it.primary_category_id, it.secondary_category_id]) as category (id)
    cross join lateral (
      ${newest("p.primary_category_id = category.id", NEWEST)}
      union all ${newest("p.secondary_category_id = category.id", NEWEST)}) newest
    union all ${similar}
    union all ${newest("true", NEWEST)}
  ),
  related as (
    select p.id, row_number() over (order by
      ${language("p")} = ${language("it")} desc,
      ${CATEGORY} * (${isShared("p.primary_category_id")} + ${isShared("p.secondary_category_id")})
        + coalesce(ts_rank(p.search, queries.any_word), 0) desc,
      p.published_at desc, p.id desc) as position
    from (select distinct on (id) * from candidates) p cross join it cross join queries
    where p.id <> it.id
  )`

/** The statement that finds what readers of a Post may read next. */
export const relatedStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  // A row without a Post says that the Post has no related ones.
  const related = prepared<SummaryRow>(sql)(
    ["id", "limit"],
    ({ id, limit }) => sql`
      with it as materialized (
        select ${sql.literal(comparedColumns)} from public_posts p where p.id = ${id}
      ), ${sql.literal(relatedTo)}
      select summaries.* from it left join (
        select ${sql.literal(summaryColumns)}, first.position
        from (select * from related order by position limit ${limit}) first
        join public_posts p using (id) join owners o on o.id = p.owner_id
        join post_counts n on n.post_id = p.id
      ) summaries on true
      order by summaries.position`
  )

  return {
    /** Returns the Posts that are related to a published Post; none without that Post. */
    to: (id: PostId, limit: number) =>
      Effect.orDie(
        Effect.map(asSearch(related({ id, limit })), (rows) =>
          rows.length === 0 ? Option.none() : Option.some(rows.filter((row) => row.id !== null))
        )
      )
  }
})
