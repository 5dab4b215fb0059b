import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { wordInSql, wordLists, WORDS } from "../bench/seed/words.ts"

/** Posts of one transaction: few enough that no statement meets its deadline on a slow machine. */
const PART = 5_000
/** Paragraphs that texts are put together from. */
export const PARAGRAPHS = 20_000
const POSTS_OF_AUTHOR = 10

const idOf = (kind: "owner" | "post", n: string) =>
  `('00000000-0000-4000-${kind === "owner" ? "8200" : "8300"}-' || lpad((${n})::text, 12, '0'))::uuid`

/** Returns the id of the Post of a number, which begins at 1 with the oldest. */
export const postIdOf = (n: number): string => `00000000-0000-4000-8300-${String(n).padStart(12, "0")}`

/** Paragraphs. A few words are in nearly all texts and most words in few. Each twentieth is Chinese. */
export const paragraphs = (words: number) => `
  create table paragraphs as
  select n, string_agg(case when n % 20 = 0 then chr(19968 + floor(3000 * power(r, 3))::integer)
    else ${wordInSql("rank")} end, case when n % 20 = 0 then '' else ' ' end) as text
  from (select n, i, r, floor(${WORDS} * power(r, 3))::integer as rank
    from generate_series(1, ${PARAGRAPHS}) n, lateral generate_series(1, ${words}) i,
      lateral (select random() + 0 * (n + i) as r) random) words
  group by n`

const owners = (count: number) => `
  insert into owners (id, kind, name, handle, author_kind, created_at, published_post_count, follower_count)
  select ${idOf("owner", "n")}, 'guest', initcap(${wordInSql("(n % 8000)")} || ' smith'), 'author_' || n,
    case when n % 20 = 0 then 'agent' else 'human' end, timestamptz '2020-01-01Z', ${POSTS_OF_AUTHOR}, n % 1000
  from generate_series(1, ${count}) n`

/** The paragraph of a place in the text, Chinese in a Chinese Post. */
export const paragraph = (name: string, factor: number) =>
  `join paragraphs ${name} on ${name}.n = 1 + (it::bigint / 20 * 20 * ${factor} + it % 20 + 19) % ${PARAGRAPHS}`

/**
 * Each Post has the word "common", each 50th "medium", each 4,000th "rare" and "喫茶店", and the oldest quarter "former". Its
 * number stands in "unique12".
 */
const posts = (count: number) => `
  insert into posts (id, owner_id, status, title, description, free_content_markdown, enable_paywall, price_raw,
    primary_category_id, slug, language, comments_enabled, creation_method, creation_attested, created_at, updated_at, published_at)
  select ${idOf("post", "it")}, ${idOf("owner", `1 + it::bigint * 7919 % ${count / POSTS_OF_AUTHOR}`)}, 'published',
    left(one.text, 60) || ' unique' || it, concat_ws(' ', left(two.text, 120), 'common', case when it % 50 = 0 then 'medium' end,
      case when it % 4000 = 11 then 'rare 喫茶店' end, case when it <= ${count / 4} then 'former' end),
    concat_ws(E'.\\n\\n', one.text, two.text, three.text, four.text),
    it % 10 = 0, case when it % 10 = 0 then 1e28 end, case when it % 5000 = 13 then 30 else 1 + it % 29 end, 'post-' || it,
    case when it % 20 = 0 then 'zh-Hans' when it % 100 < 8 then 'de' when it % 100 = 33 then 'ja'
      when it % 100 = 51 then 'pt-BR' when it % 10000 = 52 then 'eo' else 'en' end, true, 'human_written', true, at, at, at
  from generate_series($1::integer, $2::integer) it
  cross join lateral (select timestamptz '2020-01-01Z' + it * interval '3 minutes' as at) moment
  ${paragraph("one", 31)} ${paragraph("two", 7)} ${paragraph("three", 13)} ${paragraph("four", 17)}`

/** Fills an empty database with published Posts of four paragraphs of this many words. A tenth of them are paid. */
export const seedManyPosts = Effect.fnUntraced(function* (count: number, words: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select setseed(0.42)`
  yield* sql.unsafe(paragraphs(words), wordLists)
  yield* sql`alter table paragraphs add primary key (n)`
  yield* sql.unsafe(owners(count / POSTS_OF_AUTHOR), wordLists)
  // An index is made faster than it is kept.
  const [index] = yield* sql<{ readonly definition: string }>`
    select indexdef as definition from pg_indexes where indexname = 'posts_search'`
  yield* sql`drop index posts_search`
  const part = Effect.fnUntraced(function* (from: number) {
    // Without triggers and foreign keys: the rows are right by construction.
    yield* sql`set local session_replication_role = replica`
    yield* sql.unsafe(posts(count), [from, Math.min(from + PART - 1, count)])
  })
  for (let from = 1; from <= count; from += PART) yield* sql.withTransaction(part(from))
  yield* sql.unsafe(index?.definition ?? "")
  yield* sql`insert into post_counts (post_id, heart, purchases)
    select id, (random() * 20)::integer, (random() * 5)::integer from posts`
  yield* sql`insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
    select p.id, o.id, o.author_kind, p.published_at from posts p join owners o on o.id = p.owner_id`
  yield* sql`update published_post_counts set posts = ${count} where part = 0`
  yield* sql`drop table paragraphs`
  yield* sql`vacuum analyze posts, owners, post_counts, post_author_kinds`.unprepared
})
