// @ts-check
// Places of pictures and of the wall in a text, the size of pictures that are sent, and the length of a text. It has no page, so Node tests it.

/** Pixels of the longer side of a picture that was too large. Pages show at most 1,280. */
const SIDE_MAX = 4096

/** Returns the size of a picture after attempts to make it small enough. @param {number} width @param {number} height @param {number} attempt */
export const scaledSize = (width, height, attempt) => {
  const by = Math.min(1, SIDE_MAX / Math.max(width, height)) * 0.7 ** attempt
  return { width: Math.max(1, Math.round(width * by)), height: Math.max(1, Math.round(height * by)) }
}

/**
 * Returns a place of a text after a change of the text. What is typed at the place stands after it.
 * @param {string} before
 * @param {string} after
 * @param {number} place
 */
export const movedPlace = (before, after, place) => {
  const shorter = Math.min(before.length, after.length)
  // Of several readings of a change, the first in the text.
  let end = 0
  while (end < shorter && before.at(-1 - end) === after.at(-1 - end)) end++
  let start = 0
  while (start < shorter - end && before[start] === after[start]) start++
  if (place <= start) return place
  return place >= before.length - end ? place + after.length - before.length : after.length - end
}

/** Returns the next place that is not within a picture or a link. @param {string} value @param {number} place */
export const outside = (value, place) => {
  for (const { 0: all, index } of value.matchAll(/!?\[(?:[^[\]\\]|\\.)*\]\((?:[^()\\]|\\.)*\)/g))
    if (index < place && place < index + all.length) return index + all.length
  return place
}

/** @param {string} words */
const escaped = (words) => words.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_~+<>![\]&]/g, "\\$&")

/** Returns the Markdown that shows a picture. @param {string} url @param {string} words */
export const imageOf = (url, words) => `![${escaped(words)}](${url})`

/**
 * Returns the edits that describe a picture wherever a text shows it, the last one first.
 * @param {string} value
 * @param {string} id
 * @param {string} words
 */
export const described = (value, id, words) =>
  [...value.matchAll(/!\[((?:[^[\]\\]|\\.)*)\]\([^()]*\)/gs)]
    .filter(([all, alt = ""]) => all.slice(alt.length).includes(id))
    .map(({ 1: alt = "", index }) => ({
      from: index + 2,
      to: index + 2 + alt.length,
      insert: escaped(words)
    }))
    .toReversed()

/**
 * Returns the text that moves to the other part of a post when the wall comes to a caret, and where it stands: what is after the
 * caret in the free part, or before it in the paid part. Undefined where there is none.
 * @param {string} value
 * @param {number} caret
 * @param {boolean} isPaid
 */
export const movedByWall = (value, caret, isPaid) => {
  const [before, after] = [value.slice(0, caret), value.slice(caret)]
  // An indented line begins a block of code.
  const moved = (isPaid ? before : after).trimEnd().replace(/^(?:[ \t]*\n)+/, "")
  if (moved.trim() === "") return undefined
  const from = isPaid ? 0 : before.trimEnd().length
  const to = isPaid ? caret + (/^\s*\n/.exec(after)?.[0].length ?? 0) : value.length
  return { from, to, moved }
}

/** Words that are read in a minute, and letters of a script without spaces that take as long as a word. */
const WORDS_PER_MINUTE = 230
const LETTERS_PER_WORD = 1.7

/** Returns how long a text is, in words and minutes; empty for one without words. @param {string} text */
export const extentOf = (text) => {
  const letters =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0
  const words = text.split(/\s+/).filter((it) => /[\p{L}\p{N}]/u.test(it)).length
  if (words === 0) return ""
  const isSpaced = letters < words
  const minutes = Math.max(1, Math.round((isSpaced ? words : letters / LETTERS_PER_WORD) / WORDS_PER_MINUTE))
  return `${isSpaced ? `${words.toLocaleString("en")} ${words === 1 ? "word" : "words"} · ` : ""}${minutes} min`
}
