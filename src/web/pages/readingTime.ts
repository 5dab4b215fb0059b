import { baseOf } from "../../platform/pages/language.ts"

/** Words that are read in a minute. */
const WORDS_PER_MINUTE = 230

/** Bytes of UTF-8 of a word with its space, where it differs from the Latin script. */
const BYTES_PER_WORD: Readonly<Record<string, number>> = {
  ar: 11,
  be: 13,
  bg: 12,
  el: 12,
  fa: 10,
  he: 11,
  hy: 13,
  ka: 22,
  kk: 14,
  mk: 12,
  ru: 13,
  sr: 11,
  uk: 13,
  ur: 10,
  bn: 17,
  gu: 16,
  hi: 15,
  mr: 17,
  ne: 17,
  pa: 15,
  ta: 22,
  te: 20,
  // Scripts without spaces between words: as long as a word takes to read.
  ja: 5.2,
  km: 9,
  ko: 8,
  lo: 9,
  my: 9,
  th: 9,
  zh: 5.2
}
const LATIN = 6

const WITHOUT_SPACES: ReadonlySet<string> = new Set(["ja", "km", "lo", "my", "th", "zh"])

/** Steps in which words are shown, since they are estimated. */
const STEP = 50

/** Returns the words of a text of this number of bytes, about. */
export const wordsOf = (bytes: number, language: string): number =>
  bytes / (BYTES_PER_WORD[baseOf(language)] ?? LATIN)

/** Returns the minutes that this number of words takes to read. */
export const minutesOf = (words: number): number => Math.max(1, Math.round(words / WORDS_PER_MINUTE))

/**
 * Returns how long a text of this number of bytes takes to read, about. PostgreSQL knows the bytes of a section without
 * reading it, so the service says how long a paid section is without having it in hand.
 */
export const extentOf = (
  bytes: number,
  language: string
): { readonly minutes: number; readonly words: number | null; readonly isShort: boolean } => {
  const words = wordsOf(bytes, language)
  return {
    minutes: minutesOf(words),
    words: WITHOUT_SPACES.has(baseOf(language)) ? null : Math.max(STEP, Math.round(words / STEP) * STEP),
    isShort: words < STEP
  }
}
