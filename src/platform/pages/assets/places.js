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

/** @typedef {{ label: string, start: number, end: number, text: string }} Footnote */

/** A line that ends a footnote before it, though no blank line stands between. */
const BLOCK = /^ {0,3}(?:#{1,6}\s|>|[-+*]\s|\d{1,9}[.)]\s|`{3}|~{3}|\[\^[^\s[\]]{1,999}\]:)/

/** Returns the footnotes of a text, outside blocks of code. Of several with one label, the first counts. @param {string} text */
const footnotesIn = (text) => {
  /** @type {Map<string, Footnote>} */
  const all = new Map()
  /** @type {Footnote | undefined} */
  let open
  let [fence, isAfterBlank, start] = ["", false, 0]
  for (const line of text.split("\n")) {
    const end = start + line.length
    const [, label] = /^ {0,3}\[\^([^\s[\]]{1,999})\]:/.exec(line) ?? []
    const [, mark = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    const isBlank = line.trim() === ""
    const isWithin = open && (/^(?: {4}|\t)/.test(line) || (!isAfterBlank && !BLOCK.test(line)))
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ""
    } else if (open && isWithin && !isBlank) open.end = end
    else if (label !== undefined) {
      open = { label: label.toLowerCase(), start, end, text: "" }
      if (!all.has(open.label)) all.set(open.label, open)
    } else if (!isBlank) {
      open = undefined
      fence = mark
    }
    isAfterBlank = isBlank
    start = end + 1
  }
  for (const it of all.values()) it.text = text.slice(it.start, it.end)
  return all
}

/** Returns a text without some of its footnotes. @param {string} text @param {ReadonlyArray<Footnote>} footnotes */
const withoutFootnotes = (text, footnotes) => {
  let [kept, from] = ["", 0]
  for (const { end, start } of [...footnotes, { start: text.length, end: text.length }]) {
    const piece = text.slice(from, start)
    kept += kept === "" || kept.endsWith("\n\n") ? piece.replace(/^\n+/, "") : piece
    from = end
  }
  return kept.trimEnd()
}

/**
 * Returns the labels of the footnotes that a text refers to, also by other footnotes.
 * @param {string} text
 * @param {ReadonlyArray<Map<string, Footnote>>} known
 */
const labelsIn = (text, known) => {
  /** @type {Set<string>} */
  const labels = new Set()
  const texts = [text]
  for (const it of texts)
    for (const [, label = ""] of it.matchAll(/\[\^([^\s[\]]{1,999})\]/g)) {
      const key = label.toLowerCase()
      if (labels.has(key)) continue
      labels.add(key)
      const footnote = known.find((footnotes) => footnotes.has(key))?.get(key)
      if (footnote) texts.push(footnote.text)
    }
  return labels
}

/**
 * Returns both parts of a text with the footnotes that they refer to. One to which neither refers stays where it is.
 * @param {readonly [string, string]} parts
 */
const withFootnotes = ([one, two]) => {
  const [ones, twos] = [footnotesIn(one), footnotesIn(two)]
  const bodies = [withoutFootnotes(one, [...ones.values()]), withoutFootnotes(two, [...twos.values()])]
  const [inOne, inTwo] = [labelsIn(bodies[0] ?? "", [ones, twos]), labelsIn(bodies[1] ?? "", [twos, ones])]
  /** @param {string} text @param {Map<string, Footnote>} own @param {Map<string, Footnote>} others @param {Set<string>} here @param {Set<string>} there */
  const partOf = (text, own, others, here, there) => {
    const leaving = [...own.values()].filter(({ label }) => there.has(label) && !here.has(label))
    const coming = [...others.values()].filter(({ label }) => here.has(label) && !own.has(label))
    if (leaving.length + coming.length === 0) return text
    const kept = withoutFootnotes(text, leaving)
    return [kept, ...coming.map((it) => it.text)].filter((it) => it !== "").join("\n\n")
  }
  return [partOf(one, ones, twos, inOne, inTwo), partOf(two, twos, ones, inTwo, inOne)]
}

/**
 * Returns the text that moves to the other part of a post when the wall comes to a caret, and what stands in its place: what is
 * after the caret in the free part, or before it in the paid part. Each part has footnotes of its own. Undefined where none moves.
 * @param {string} value
 * @param {number} caret
 * @param {boolean} isPaid
 */
export const movedByWall = (value, caret, isPaid) => {
  const [before, after] = [value.slice(0, caret), value.slice(caret)]
  // An indented line begins a block of code.
  const moved = (isPaid ? before : after).trimEnd().replace(/^(?:[ \t]*\n)+/, "")
  const from = isPaid ? 0 : before.trimEnd().length
  const to = isPaid ? caret + (/^\s*\n/.exec(after)?.[0].length ?? 0) : value.length
  const stays = value.slice(0, from) + value.slice(to)
  const [left = "", gone = ""] = withFootnotes([stays, moved])
  if (gone.trim() === "") return undefined
  if (left === stays) return { from, to, insert: "", moved: gone }
  return { from: 0, to: value.length, insert: left, moved: gone }
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
