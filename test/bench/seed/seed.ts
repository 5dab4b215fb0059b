import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { seedHtml } from "./html.ts"
import { type ReaderSeed, seedReaders } from "./readers.ts"
import { padded, uuidV7, wordInSql, wordLists, WORDS } from "./words.ts"

const AUTHORS = 1_000
const PUBLISHED = 10_000
const DRAFTS = 300

/** A published Post. */
export interface SeededPost {
  readonly id: string
  /** The path of its page. */
  readonly page: string
  /** The `X-Post-Revision` of changes. */
  readonly revision: string
  readonly isPaid: boolean
  /** A Publishing key of its author. */
  readonly key: string
}

/** The contents of the database that the load uses. */
export interface Seed {
  /** Published Posts, the newest last. */
  readonly posts: ReadonlyArray<SeededPost>
  /** Publishing keys, each of another author. */
  readonly keys: ReadonlyArray<string>
  readonly readers: ReaderSeed
}

/** Returns the index of the key of a Post's author. `index` is that of the Post. */
const authorOf = (index: number): number => ((index + 1) * 7) % AUTHORS

const owners = `
  insert into owners (id, kind, wallet_public_key, name, handle, bio, author_kind, payout_address, created_at)
  select ${uuidV7("created_at", "'author' || n")}, 'wallet', sha256(convert_to('author' || n, 'UTF8')),
    'Author ' || n, 'author_' || n, 'Writes about ' || n || ' things.',
    case when n % 7 = 0 then 'agent' else 'human' end,
    'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3', created_at
  from generate_series(1, ${AUTHORS}) n, lateral (select timestamptz '2026-01-01Z' + n * interval '1 hour' as created_at) t`

/**
 * Text of the numbered Posts: a few words are in nearly all of them and most words in a few, as in any language. The
 * sections have 80 to 580 words, with a heading now and then.
 */
const texts = `
  create temporary table texts as
  select n, string_agg(word, ' ') filter (where i between 1 and 6) as title,
    string_agg(word, ' ') filter (where i between 7 and 24) as description,
    string_agg(case i % 90 when 25 then '## ' || word || E'\\n\\n' when 50 then '**' || word || E'**.\\n\\n'
      else word || ' ' end, '') filter (where i > 24) as body
  from (
    select n, i, ${wordInSql("rank")} as word
    from generate_series(1, ${PUBLISHED + DRAFTS}) n, lateral generate_series(1, 104 + (n * 7919) % 500) i,
      lateral (select floor(${WORDS} * power(random() + 0 * (n + i), 3))::integer as rank) r) words
  group by n`

const posts = `
  insert into posts (id, owner_id, status, title, description, free_content_markdown, paid_content_markdown,
    enable_paywall, price_raw, primary_category_id, secondary_category_id, slug, language, comments_enabled,
    creation_method, creation_attested, created_at, updated_at, published_at)
  select ${uuidV7("at", "'post' || n")}, owner.id, case when is_public then 'published' else 'draft' end,
    title, description, body, case when is_paid then body end, is_paid,
    case when is_paid then 10 ^ 28 * (n % 100 + 1) end,
    1 + n % 30, case when n % 3 = 0 then 1 + (n + 7) % 30 end, replace(title, ' ', '-'), 'en', true,
    'human_written', true, at, at, case when is_public then at end
  from texts
  join (select id, row_number() over (order by id) as number from owners) as owner
    on owner.number = 1 + (n * 7) % ${AUTHORS},
  lateral (select n <= ${PUBLISHED} as is_public, n % 5 = 0 as is_paid,
    timestamptz '2026-03-01Z' + n * interval '37 minutes' as at) as facts
  order by n`

const counters = [
  `update owners set published_post_count = (select count(*) from posts where owner_id = owners.id and status = 'published')`,
  `update published_post_counts set
    posts = (select count(*) from posts where status = 'published'),
    for_sale = (select count(*) from posts where status = 'published' and enable_paywall),
    by_category = array(
      select (select count(*) from posts
        where c.id in (primary_category_id, secondary_category_id) and status = 'published')::integer
      from categories c order by c.id)
  where part = 0`,
  `insert into post_counts (post_id) select id from posts where status = 'published'`,
  `insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
  select p.id, o.id, o.author_kind, p.published_at from posts p join owners o on o.id = p.owner_id
  where p.status = 'published'`
]

const apiKeys = `
  insert into api_keys (id, owner_id, key_id, secret_hash, created_at)
  select ${uuidV7("created_at", "'key' || number")}, id, lpad(number::text, 16, '0'),
    sha256(convert_to(lpad(number::text, 43, '0'), 'UTF8')), created_at
  from (select id, created_at, row_number() over (order by id) as number from owners) owner`

/** Puts off the screening of uploads, whose admission alone is measured. */
const screeningPutOff = [
  `create function bench_put_off() returns trigger language plpgsql as $$
   begin
     if new.next_task = 'screen' and old.next_task = 'receive' then new.due_at := new.due_at + interval '1 year'; end if;
     return new;
   end $$`,
  `create trigger bench_put_off before update on upload_operations for each row execute function bench_put_off()`
]

/** Fills a migrated database as a service does in its first year, the same in every run. */
export const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select setseed(0.42)`
      yield* sql.unsafe(owners)
      yield* sql.unsafe(texts, wordLists)
      yield* sql.unsafe(posts)
      yield* sql`drop table texts`
      yield* seedHtml
      for (const statement of [...counters, apiKeys, ...screeningPutOff]) yield* sql.unsafe(statement)
    })
  )
  const readers = yield* seedReaders
  // Related Posts are chosen by the statistics of the planner.
  yield* sql`vacuum analyze`.unprepared
  // Otherwise the vacuum that follows the seeding falls into a round.
  yield* sql`checkpoint`.unprepared

  const keys = Array.from({ length: AUTHORS }, (_, n) => `ppk_${padded(n + 1, 16)}_${padded(n + 1, 43)}`)
  const rows = yield* sql<Omit<SeededPost, "key">>`
    select p.id, '/@' || o.handle || '/' || p.slug as page, wire_time(p.updated_at) as revision,
      p.enable_paywall as "isPaid"
    from posts p join owners o on o.id = p.owner_id
    where p.status = 'published' and o.handle like 'author\\_%' order by p.id`
  return {
    posts: rows.map((row, index) => Object.assign(row, { key: keys[authorOf(index)] ?? "" })),
    keys,
    readers
  } satisfies Seed
})
