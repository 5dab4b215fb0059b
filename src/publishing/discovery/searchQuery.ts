// A query is read here, and a text by the function `search_words` of the database. Both compare letters in the same way,
// which a test checks.

/**
 * Accents, vowel points, tone marks and invisible characters, which search ignores. Of letters, only those that lengthen a word
 * or help to recite it.
 */
const IGNORED = new RegExp(
  String.raw`[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0600-\u0605\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dd\u06df-\u06e8\u06ea-\u06ed\u070f\u0711\u0730-\u074a\u07eb-\u07f3\u07fa\u07fd\u0890\u0891\u0898-\u089f\u08ca-\u08ff\u0e47-\u0e4e\u0ec8-\u0ece\u1037\u1039\u103a\u115f\u1160\u17b4\u17b5\u17c9-\u17d3\u17dd\u180b-\u180f\u1ab0-\u1ace\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\ufff0-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]+`,
  "gu"
)

/** Letters that Unicode does not take apart, and those that readers of Arabic, Persian and Urdu type for each other. */
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
  ς: "σ",
  "\u0649": "\u064a",
  "\u06cc": "\u064a",
  "\u06a9": "\u0643",
  "\u06aa": "\u0643",
  "\u0629": "\u0647",
  "\u06be": "\u0647",
  "\u06c1": "\u0647",
  "\u06c3": "\u0647",
  "\u06d5": "\u0647",
  "\u0671": "\u0627"
}

const FOLDED = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "gu")

/** Letters of scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Kana, Han and Hangul. */
const UNSPACED = String.raw`\u0e01-\u0e3a\u0e40-\u0e46\u0e80-\u0ec7\u1000-\u103f\u1050-\u109d\u1780-\u17c8\u1100-\u11ff\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u{20000}-\u{3ffff}`

/** A run of them, or of other letters. */
const RUNS = new RegExp(`([${UNSPACED}]+)|[^${UNSPACED}]+`, "gu")

/** Letters, digits and their marks. Everything else separates words. */
const WORDS = /[\p{Alphabetic}\p{N}\p{M}]+/gu
const LETTER = /[\p{L}\p{N}\p{So}]/u

/** Characters of a word that are indexed. */
const WORD_MAX = 64

/** Shortest word that also finds longer words: many words begin with the same two or three letters. */
const PREFIX_MIN = 4

/** A phrase in quotes, where the second quote may be missing, or a run without spaces; each with the hyphens before it, if any. */
const TERMS = /(-*)(?:"([^"]*)(?:"|$)|([^\s"]+))/gu

const QUOTES = /[“”„‟«»]/gu
/** Every dash of Unicode, and the minus sign. */
const DASHES = /[\p{Pd}−]/gu
/** Two hyphens, as phones write them in one. */
const LONG_DASHES = /[—―⸺⸻]/gu

/** Returns letters as search compares them: without case, accents or width. */
export const searchLetters = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(IGNORED, "")
    .normalize("NFC")
    .replaceAll(FOLDED, (letter) => LETTERS[letter] ?? letter)

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
  /** One hyphen stands before it. */
  readonly hasHyphen: boolean
  readonly isPhrase: boolean
  readonly text: string
}

const termsOf = (q: string): ReadonlyArray<Term> =>
  Array.from(
    q
      // JavaScript takes one of these for a space.
      .replaceAll(/\p{Cf}/gu, "")
      .replaceAll(LONG_DASHES, "--")
      .replaceAll(DASHES, "-")
      .replaceAll(QUOTES, '"')
      .normalize("NFKC")
      .matchAll(TERMS),
    ([, hyphens, phrase, bare]) => ({
      hasHyphen: hyphens === "-",
      isPhrase: phrase !== undefined,
      text: searchLetters(phrase ?? bare ?? "")
    })
  )

const isOr = ({ hasHyphen, isPhrase, text }: Term) => !hasHyphen && !isPhrase && text === "or"

/**
 * Reads the query of a reader, and returns a query for `to_tsquery('words', …)`; undefined if no word has to occur.
 *
 * - All words must occur, in any order. The last one also finds longer words that it begins.
 * - Words in quotes must occur as a phrase, and joined words such as `snake_case`, too.
 * - A word or phrase behind one hyphen must not occur, if another word stands before it. "or" separates alternatives.
 * - Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are found without spaces, by all pairs of letters.
 */
export const searchQueryOf = (q: string): string | undefined => {
  const terms = termsOf(q)
  const alternatives: Array<ReadonlyArray<string>> = []
  let current: Array<string> = []
  for (const [index, term] of terms.entries()) {
    if (isOr(term)) {
      alternatives.push(current)
      current = []
      continue
    }
    const isExcluded = term.hasHyphen && current.length > 0
    const isLast = index === terms.length - 1
    const spelled = termOf(term.text, isLast && !term.isPhrase && !isExcluded)
    if (spelled !== undefined) current.push(isExcluded ? `!${spelled}` : spelled)
  }
  const able = [...alternatives, current].filter(({ length }) => length > 0)
  return able.length === 0 ? undefined : able.map((all) => `(${all.join(" & ")})`).join(" | ")
}

/** Returns true for a query with a phrase or a joined word. */
export const isPhrase = (q: string): boolean => searchQueryOf(q)?.includes("<->") === true
