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

/** Lets search ignore invisible characters, keep words apart at every hyphen, and compare Arabic letters as their readers do. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create or replace function search_letters(text text) returns text language sql immutable strict parallel safe
    return case when octet_length(text) = length(text) then lower(text) else ${sql.literal(folded)} end
  `
  yield* sql`
    create or replace function search_pairs(text text) returns text language sql immutable strict parallel safe
    return case when text ~ ${sql.literal(`'[${UNSPACED}]'`)} then left(regexp_replace(
      regexp_replace(text, ${sql.literal(`'([${UNSPACED}]+)'`)}, ' \\1 ', 'g'),
      ${sql.literal(`'([${UNSPACED}])'`)}, '\\1 \\1', 'g'), 200000) else text end
  `
  // A tilde between words is a path to PostgreSQL's parser.
  yield* sql`
    create or replace function search_words(text text) returns text language sql immutable strict parallel safe
    return regexp_replace(
      replace(replace(replace(replace(replace(replace(replace(replace(
        search_pairs(left(search_letters(left(text, 100000)), 100000)),
        '_', ' '), '-', ' '), '.', ' '), '/', ' '), '@', ' '), '<', ' '), '+', ' '), '~', ' '),
      '([[:alnum:]]{64})[[:alnum:]]+', '\\1', 'g')
  `

  // Computes the stored words again.
  yield* sql`update posts set title = title`
  yield* sql`update owners set name = name`
})
