import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Accents, vowel points, tone marks and invisible characters, which search ignores, as ranges of a regular expression of
 * PostgreSQL. Of letters, only those that lengthen a word or help to recite it.
 */
const IGNORED = String.raw`\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0600-\u0605\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dd\u06df-\u06e8\u06ea-\u06ed\u070f\u0711\u0730-\u074a\u07eb-\u07f3\u07fa\u07fd\u0890\u0891\u0898-\u089f\u08ca-\u08ff\u0e47-\u0e4e\u0ec8-\u0ece\u1037\u1039\u103a\u115f\u1160\u17b4\u17b5\u17c9-\u17d3\u17dd\u180b-\u180f\u1ab0-\u1ace\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff`

/** Letters of scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Kana, Han and Hangul. */
const UNSPACED = String.raw`\u0e01-\u0e3a\u0e40-\u0e46\u0e80-\u0ec7\u1000-\u103f\u1050-\u109d\u1780-\u17c8\u1100-\u11ff\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff`

/** Letters that Unicode does not take apart, and those that readers of Arabic, Persian and Urdu type for each other. */
const LETTERS = [
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["ł", "l"],
  ["đ", "d"],
  ["ð", "d"],
  ["þ", "th"],
  ["ı", "i"],
  ["ς", "σ"],
  ["\u0649", "\u064a"],
  ["\u06cc", "\u064a"],
  ["\u06a9", "\u0643"],
  ["\u06aa", "\u0643"],
  ["\u0629", "\u0647"],
  ["\u06be", "\u0647"],
  ["\u06c1", "\u0647"],
  ["\u06c3", "\u0647"],
  ["\u06d5", "\u0647"],
  ["\u0671", "\u0627"]
] as const

const folded = LETTERS.reduce(
  (text, [letter, as]) => `replace(${text}, '${letter}', '${as}')`,
  `normalize(regexp_replace(lower(normalize(lower(text), NFKD)), '[${IGNORED}]+', '', 'g'), NFC)`
)

/** The wire form of a moment, the words of a text, named requests, the outboxes and the counters: all features share them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The wire form of a moment: UTC with microseconds.
  yield* sql`
    create function wire_time(moment timestamptz) returns text
    language sql immutable strict parallel safe
    return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  `

  // Words as search compares them, of any language. English words are reduced to their stem. No word is left out, as "the"
  // and "will" are names, and words of other languages.
  yield* sql`create text search dictionary search_stem (template = snowball, language = english)`
  yield* sql`create text search configuration words (copy = english)`
  yield* sql`alter text search configuration words alter mapping replace english_stem with search_stem`

  // Letters as search compares them: without case, accents, vowel points, tone marks, width or invisible characters, and with
  // Arabic letters as their readers type them for each other. PostgreSQL's own normalization needs no extension, and knows
  // accents that are characters of their own. A text in ASCII needs none. A query does the same (searchQuery.ts).
  yield* sql`
    create function search_letters(text text) returns text language sql immutable strict parallel safe
    return case when octet_length(text) = length(text) then lower(text) else ${sql.literal(folded)} end
  `

  // Scripts without spaces between words are indexed by pairs of letters: 喫茶店 as 喫茶 茶店, and by its first and last
  // letter. So each letter begins a word, which finds it alone.
  yield* sql`
    create function search_pairs(text text) returns text language sql immutable strict parallel safe
    return case when text ~ ${sql.literal(`'[${UNSPACED}]'`)} then left(regexp_replace(
      regexp_replace(text, ${sql.literal(`'([${UNSPACED}]+)'`)}, ' \\1 ', 'g'),
      ${sql.literal(`'([${UNSPACED}])'`)}, '\\1 \\1', 'g'), 200000) else text end
  `

  // Bounds what the search of Posts costs. PostgreSQL's parser looks for hosts, addresses, paths, tags and hyphenated
  // words, and takes the square or cube of a text's length to find that a_a_… or x@1x@1… is none of them. A text without
  // joiners is indexed in linear time. A tilde between words is a path to it. replace costs a tenth of translate. A query separates its words the same way
  // (searchQuery.ts). A tsvector holds 1 MB, which 66,000 pairs of rare letters do not fill.
  yield* sql`
    create function search_words(text text) returns text language sql immutable strict parallel safe
    return regexp_replace(
      replace(replace(replace(replace(replace(replace(replace(replace(
        search_pairs(left(search_letters(left(text, 100000)), 100000)),
        '_', ' '), '-', ' '), '.', ' '), '/', ' '), '@', ' '), '<', ' '), '+', ' '), '~', ' '),
      '([[:alnum:]]{64})[[:alnum:]]+', '\\1', 'g')
  `

  // Requests that name themselves with an Idempotency-Key. scope_id is the owner or the Publishing key that the name is
  // unique for. There is no reference to the resource, because a record outlives it.
  yield* sql`
    create table idempotency_records (
      scope text not null,
      scope_id uuid not null,
      idempotency_key text not null,
      fingerprint bytea not null check (octet_length(fingerprint) = 32),
      resource_id uuid not null,
      response jsonb,
      created_at timestamptz not null,
      expires_at timestamptz,
      primary key (scope, scope_id, idempotency_key)
    )
  `
  yield* sql`create index idempotency_records_expires_at on idempotency_records (expires_at)`

  // The outbox of mail. The content is sealed, because it holds codes. due_at is when a worker may take the mail, which is
  // also the end of the lease of the worker that has it. attempts fences workers whose lease has ended. attempt_began_at
  // is null between attempts: an attempt that left it there was cut off, and may have sent its mail. mailbox is the
  // canonical form of recipient.
  yield* sql`
    create table mails (
      id uuid primary key,
      recipient text not null,
      mailbox text not null,
      is_bulk boolean not null default false,
      sealed_content bytea,
      body_id uuid,
      reader_id uuid,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0,
      attempt_began_at timestamptz,
      constraint mails_content check ((sealed_content is null) = (body_id is not null) and (body_id is null) = (reader_id is null))
    )
  `
  // Mails that many readers get share a body, which its feature keeps: they have its id, and that of the reader.
  yield* sql`create index mails_body_id on mails (body_id) where body_id is not null`
  // Mails that may wait are claimed apart from others, each by an index of its own.
  yield* sql`create index mails_urgent_due_at on mails (due_at) where not is_bulk`
  yield* sql`create index mails_bulk_due_at on mails (due_at) where is_bulk and body_id is null`
  yield* sql`create index mails_shared_due_at on mails (due_at) where body_id is not null`
  yield* sql`create index mails_bulk_untried on mails (id) where is_bulk and body_id is null and attempts = 0`

  // Counters that strangers share. A write appends what it changes and locks no shared row. A worker adds the changes to
  // the rows that readers see, twice a second. Rows live for a second. Without frequent vacuums, every look at the table
  // reads the dead ones.
  yield* sql`
    create table counter_changes (
      id bigint generated always as identity primary key,
      counter text not null,
      subject_id uuid not null,
      amount integer not null
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1)
  `
  yield* sql`create index counter_changes_subject on counter_changes (subject_id)`

  // The last subject of each table whose counters were compared with their rows.
  yield* sql`create table counter_audits (counter_table text primary key, after_id uuid not null)`

  // The outbox of WebSub: feeds that changed, and that the hub has not heard of. feed is the path of a feed without the
  // name of its format, empty for that of the site. Each change is a row of its own, so that authors who publish at the
  // same time do not wait for each other.
  yield* sql`
    create table feed_changes (
      id uuid primary key,
      feed text not null,
      created_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index feed_changes_due_at on feed_changes (due_at)`
  yield* sql`create index feed_changes_feed on feed_changes (feed)`
  yield* sql`create index feed_changes_created_at on feed_changes (created_at)`

  // Every host that the service had, by which it knows the addresses of its images in texts. Columns have them by path.
  yield* sql`create table media_hosts (host text primary key)`

  // Blocks of the development ledger, which stays empty where the service has another ledger. block is the block in a
  // node's JSON; the other columns are for finding it.
  yield* sql`
    create table dev_ledger_blocks (
      hash bytea primary key,
      account bytea not null,
      height integer not null,
      link bytea not null,
      subtype text not null,
      amount numeric(39, 0) not null,
      block jsonb not null,
      created_at timestamptz not null,
      confirmed_at timestamptz,
      constraint dev_ledger_blocks_height unique (account, height)
    )
  `
  yield* sql`create index dev_ledger_blocks_sends on dev_ledger_blocks (link, created_at) where subtype = 'send'`
  yield* sql`
    create unique index dev_ledger_blocks_received on dev_ledger_blocks (link) where subtype in ('receive', 'open')
  `
  yield* sql`create index dev_ledger_blocks_confirmed_at on dev_ledger_blocks (confirmed_at)`
})
