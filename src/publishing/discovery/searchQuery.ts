/** Characters that separate words, as the function `search_words` of the database does with the text that is indexed. */
const JOINERS = /[-_./@<]+/u

/** Letters and digits after the 64th of a word, which the index does not have, either. */
const BEYOND_WORD = /([\p{L}\p{N}]{64})[\p{L}\p{N}]+/gu

/**
 * A phrase in quotes, of which the second may be missing, or a run without spaces; each with a minus before it, if any.
 */
const TERM = /(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))/gu

const hasWord = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** Spells a term for `websearch_to_tsquery`: a joined word as the phrase of its parts. */
const termOf = (minus: string, quoted: string | undefined, bare: string | undefined): string => {
  const words = (quoted ?? bare ?? "").split(JOINERS).filter(hasWord)
  if (words.length === 0) return ""
  return words[0] === bare ? `${minus}${bare}` : `${minus}"${words.join(" ")}"`
}

/**
 * Rewrites a reader's query for `websearch_to_tsquery`, which keeps quotes, "or" and a minus before a term. Joined
 * words become phrases, because the index has only their parts. Terms without a letter or digit are left out:
 * PostgreSQL refuses a query with more than 32 minuses before one word.
 */
export const searchQueryOf = (q: string): string =>
  Array.from(q.replaceAll(BEYOND_WORD, "$1").matchAll(TERM), ([, minus = "", quoted, bare]) =>
    termOf(minus, quoted, bare)
  )
    .filter((term) => term !== "")
    .join(" ")
