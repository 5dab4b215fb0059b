// A query is read here, and a text by the function `search_words` of the database. Both compare letters in the same way,
// which a test checks.

/** Accents, vowel points and tone marks, which search ignores. */
const MARKS =
  /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0e47-\u0e4e\u0ec8-\u0ece\u1037\u1039\u103a\u17c9-\u17d3]+/gu

/** Letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ς: "σ"
}

/** Letters of scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Kana, Han and Hangul. */
const UNSPACED = String.raw`\u0e01-\u0e46\u0e80-\u0ec7\u1000-\u103f\u1050-\u109f\u1780-\u17c8\u1100-\u11ff\u3005-\u3007\u3041-\u30fa\u30fc-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u{20000}-\u{3ffff}`

/** A run of them, or of other letters. */
const RUNS = new RegExp(`([${UNSPACED}]+)|[^${UNSPACED}]+`, "gu")

/** Letters, digits and their marks. Everything else separates words. */
const WORDS = /[\p{L}\p{N}\p{M}]+/gu
const LETTER = /[\p{L}\p{N}]/u

/** Characters of a word that are indexed. */
const WORD_MAX = 64

/** Shortest word that also finds longer words: many words begin with the same two or three letters. */
const PREFIX_MIN = 4

/** A phrase in quotes, the second of which may be missing, or a run without spaces; each with a minus before it, if any. */
const TERMS = /(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))/gu

const QUOTES = /[“”„‟«»]/gu
const MINUSES = /(?<=^|\s)[−–—](?=[^\s−–—])/gu

/** Returns letters as search compares them: without case, accents or width. */
export const searchLetters = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(MARKS, "")
    .normalize("NFC")
    .replaceAll(/[ßæœøłđðþıς]/gu, (letter) => LETTERS[letter] ?? letter)

/** Quotes a word, which has letters, digits and marks alone. */
const quoted = (word: string) => `'${word}'`

const cut = (word: string) => Array.from(word).slice(0, WORD_MAX).join("")

const pairsOf = (run: string) => {
  const letters = [...run]
  return letters.length === 1
    ? `${quoted(run)}:*`
    : letters
        .slice(1)
        .map((letter, index) => quoted(`${letters[index]}${letter}`))
        .join(" & ")
}

/** Spells a term for PostgreSQL; undefined without a letter or digit. A run of letters in any script must occur. */
const termOf = (text: string, isPrefix: boolean): string | undefined => {
  const words = (text.match(WORDS) ?? []).filter((word) => LETTER.test(word))
  const parts: Array<string> = []
  let phrase: Array<string> = []
  const endPhrase = () => {
    if (phrase.length > 0) parts.push(phrase.map(quoted).join(" <-> "))
    phrase = []
  }
  // A space between words ends a run.
  for (const [run, unspaced] of words.join(" ").matchAll(RUNS)) {
    if (unspaced === undefined)
      phrase.push(
        ...run
          .split(" ")
          .filter((word) => word !== "")
          .map(cut)
      )
    else {
      endPhrase()
      parts.push(pairsOf(unspaced))
    }
  }
  const last = phrase.at(-1)
  endPhrase()
  if (parts.length === 0) return undefined
  const term = parts.join(" & ")
  return isPrefix && last !== undefined && [...last].length >= PREFIX_MIN ? `(${term}:*)` : `(${term})`
}

/** A term as the reader wrote it. */
interface Term {
  readonly isExcluded: boolean
  readonly isPhrase: boolean
  readonly text: string
}

const termsOf = (q: string): ReadonlyArray<Term> =>
  Array.from(
    q.replaceAll(MINUSES, "-").replaceAll(QUOTES, '"').normalize("NFKC").matchAll(TERMS),
    ([, minus, phrase, bare]) => ({
      isExcluded: minus === "-",
      isPhrase: phrase !== undefined,
      text: searchLetters(phrase ?? bare ?? "")
    })
  )

const isOr = ({ isExcluded, isPhrase, text }: Term) => !isExcluded && !isPhrase && text === "or"

/**
 * Reads the query of a reader, and returns a query for `to_tsquery('words', …)`; undefined if no word has to occur.
 *
 * - All words must occur, in any order. The last one also finds longer words that it begins.
 * - Words in quotes must occur as a phrase, and joined words such as `snake_case`, too.
 * - A word or phrase behind a minus must not occur. "or" separates alternatives.
 * - Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are found without spaces, by all pairs of letters.
 */
export const searchQueryOf = (q: string): string | undefined => {
  const terms = termsOf(q)
  const alternatives: Array<{ readonly terms: Array<string>; hasWord: boolean }> = []
  let current = { terms: new Array<string>(), hasWord: false }
  for (const [index, term] of terms.entries()) {
    if (isOr(term)) {
      alternatives.push(current)
      current = { terms: [], hasWord: false }
      continue
    }
    const isLast = index === terms.length - 1
    const spelled = termOf(term.text, isLast && !term.isPhrase && !term.isExcluded)
    if (spelled === undefined) continue
    current.terms.push(term.isExcluded ? `!${spelled}` : spelled)
    current.hasWord ||= !term.isExcluded
  }
  const able = [...alternatives, current].filter(({ hasWord }) => hasWord)
  return able.length === 0 ? undefined : able.map(({ terms: all }) => `(${all.join(" & ")})`).join(" | ")
}

/** Returns true for a query with a phrase or a joined word. */
export const isPhrase = (q: string): boolean => searchQueryOf(q)?.includes("<->") === true
