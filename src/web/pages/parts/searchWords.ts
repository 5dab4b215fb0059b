/** Maximum number of characters of a search. */
export const WORDS_MAX = 200

/** Returns the words of a search. Characters that PostgreSQL cannot hold, and white space around the rest, are left out. */
export const searchWordsOf = (text: string | null): string =>
  (text ?? "").replaceAll("\0", "").toWellFormed().normalize("NFC").trim().slice(0, WORDS_MAX).toWellFormed()
