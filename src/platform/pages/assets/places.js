// @ts-check
// Where a picture stands in a text that changes, and how large it is sent. It has no page, so Node tests it.

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
