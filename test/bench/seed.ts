import { createHash } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomFrom, wordInSql, wordLists, WORDS } from "./words.ts"

const AUTHORS = 1_000
const PUBLISHED = 10_000
const DRAFTS = 300
const KEYS = 1_000
/** Sessions for a load on refreshes: one for each connection of each round. */
const FAMILIES = 5_000

/** The contents of the database that the load uses. */
export interface Seed {
  readonly posts: ReadonlyArray<string>
  /** Publishing keys, each of another author. */
  readonly keys: ReadonlyArray<string>
  /** Unused refresh tokens, each of another session. */
  readonly families: ReadonlyArray<string>
  /** Paths of the pages of the Posts, in their order. */
  readonly pages: ReadonlyArray<string>
}

/** Returns the index of the key of a Post's author. `index` is that of the Post. */
export const authorOf = (index: number): number => ((index + 1) * 7) % AUTHORS

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Makes a UUIDv7 of a moment, the same in every run. */
export const uuidV7 = (moment: string, name: string) => `(
  lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || '7' ||
  substr(md5(${name}), 1, 3) || '8' || substr(md5(${name}), 4, 15))::uuid`

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
  `update categories set
    primary_post_count = (select count(*) from posts where primary_category_id = categories.id and status = 'published'),
    secondary_post_count = (select count(*) from posts where secondary_category_id = categories.id and status = 'published')`
]

const keys = `
  insert into api_keys (id, owner_id, key_id, secret_hash, created_at)
  select ${uuidV7("created_at", "'key' || key_id")}, id, key_id, secret_hash, created_at
  from unnest($1::text[], $2::bytea[]) with ordinality as key (key_id, secret_hash, number)
  join (select id, created_at, row_number() over (order by id) as number from owners) as owner using (number)`

const families = `
  with opened as (
    insert into sessions (id, owner_id, method, created_at, expires_at)
    select ${uuidV7("owner.created_at", "'session' || n")}, owner.id, 'nano', owner.created_at, '2100-01-01Z'
    from generate_series(1, ${FAMILIES}) n
    join (select id, created_at, row_number() over (order by id) as number from owners) as owner
      on owner.number = 1 + n % ${AUTHORS}
    returning id, created_at
  )
  insert into refresh_tokens (token_hash, session_id, created_at)
  select token_hash, id, created_at
  from unnest($1::bytea[]) with ordinality as token (token_hash, number)
  join (select id, created_at, row_number() over (order by id) as number from opened) as session using (number)`

const digitsFrom = (random: () => number) => (length: number) =>
  Array.from({ length }, () => DIGITS.charAt(Math.floor(random() * 62))).join("")

const makeKeys = () => {
  const digits = digitsFrom(randomFrom(7))
  return Array.from({ length: KEYS }, () => ({ keyId: digits(16), secret: digits(43) }))
}

const makeTokens = () => {
  const digits = digitsFrom(randomFrom(8))
  return Array.from({ length: FAMILIES }, () => `ppw_${digits(43)}`)
}

const hashOf = (secret: string): Uint8Array => createHash("sha256").update(secret).digest()

/** Fills a migrated database as a service does in its first year, the same in every run. */
export const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const made = makeKeys()
  const tokens = makeTokens()
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select setseed(0.42)`
      yield* sql.unsafe(owners)
      yield* sql.unsafe(texts, wordLists)
      yield* sql.unsafe(posts)
      for (const statement of counters) yield* sql.unsafe(statement)
      yield* sql.unsafe(keys, [made.map(({ keyId }) => keyId), made.map(({ secret }) => hashOf(secret))])
      yield* sql.unsafe(families, [tokens.map(hashOf)])
      yield* sql`drop table texts`
    })
  )
  // Related Posts are chosen by the statistics of the planner.
  yield* sql`vacuum analyze`.unprepared
  // Otherwise the vacuum that follows the seeding falls into a round.
  yield* sql`checkpoint`.unprepared

  const rows = yield* sql<{ readonly id: string; readonly page: string }>`
    select p.id, '/@' || o.handle || '/' || p.slug as page
    from posts p join owners o on o.id = p.owner_id where p.status = 'published' order by p.id`
  return {
    posts: rows.map(({ id }) => id),
    pages: rows.map(({ page }) => page),
    keys: made.map(({ keyId, secret }) => `ppk_${keyId}_${secret}`),
    families: tokens
  } satisfies Seed
})
