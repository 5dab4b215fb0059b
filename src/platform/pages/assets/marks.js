// @ts-check
// Reads the marks of a paragraph in Markdown, as the service reads them, and puts text between marks. It has no page, so Node
// tests it.

/** @typedef {"bold" | "italic" | "underline" | "strike" | "code" | "link"} Form */

/** The marks of a form. @type {Readonly<Record<Form, readonly [open: string, close: string]>>} */
const MARKS = {
  bold: ["**", "**"],
  // An underscore is no mark within a word, so scripts without spaces cannot use it.
  italic: ["*", "*"],
  underline: ["++", "++"],
  strike: ["~~", "~~"],
  code: ["`", "`"],
  link: ["[", "]"]
}

/**
 * A part of a paragraph between marks, or a part in which no mark counts, such as an escape: then `form` is null. `inner` is
 * what stands between the marks.
 * @typedef {{ form: Form | null, start: number, innerStart: number, innerEnd: number, end: number }} Part
 */

/** Equal marks next to each other. @typedef {{ mark: string, size: number, start: number, end: number, opens: boolean, closes: boolean }} Run */

/** The parts of a paragraph. `literals` are the places of marks that readers see. @typedef {{ parts: Array<Part>, literals: Array<number> }} Reading */

/** A change of a text: removes characters, and puts others in their place. @typedef {{ at: number, remove: number, insert: string }} Change */

const LABEL = String.raw`\[((?:[^\\[\]]|\\[^]|\[(?:[^\\[\]]|\\[^])*\])*)\]`
const TARGET = String.raw`\((?:[^\\()]|\\[^]|\((?:[^\\()]|\\[^])*\))*\)`

/** An escape, or code, or HTML, which begins no code. */
const CODE = /\\[^]|<[a-z/][^<>]*>|(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/gi

/** A bare address, perhaps with more after it. @see endOfAddress */
const ADDRESS = String.raw`(?<address>(?<![a-z])https?://[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+(?:[/?#:][^\s<|]*)?)`

/** An escape, a reference, HTML or an address, code, an image, a link, or marks. */
const TOKEN = new RegExp(
  String.raw`\\[!-/:-@[-\x60{-~]|&(?:#x?[\da-f]+|[a-z][a-z\d]*);|<[a-z/][^<>]*>|(?<code>(?<!\x60)\x60+(?!\x60))[^]*?(?<!\x60)\k<code>(?!\x60)|` +
    String.raw`!${LABEL}(?:${TARGET}|\[[^[\]]*\])|${LABEL}(?<target>${TARGET}|\[[^[\]]*\])?|${ADDRESS}|(?<run>\*+|_+|~+|\++)`,
  "giu"
)

/**
 * Returns the length of an address. A bracket that opened before it closes after it, and marks at its end belong to the sentence
 * around it, or to its span.
 * @param {string} text
 */
const endOfAddress = (text) => {
  let [end, open] = [0, 0]
  for (; end < text.length && !(text[end] === "]" && open-- === 0); end++) if (text[end] === "[") open++
  for (;;) {
    const all = text.slice(0, end)
    const isAfter =
      /[?!.,:;*_~+'"]$/.test(all) || (all.endsWith(")") && all.split(")").length > all.split("(").length)
    if (!isAfter) return end
    end -= /&[a-z\d]+;$/i.exec(all)?.[0].length ?? 1
  }
}

const isSpace = (/** @type {string} */ it) => /^\s?$/.test(it)
const isMark = (/** @type {string} */ it) => /^[\p{P}\p{S}]/u.test(it)

/** @param {string} text @param {number} start @param {number} end @returns {Run} */
const runOf = (text, start, end) => {
  const mark = text.charAt(start)
  const [before, after] = [text.charAt(start - 1), text.charAt(end)]
  // Emphasis looks through a tilde.
  const through = /[*_]/.test(mark) ? "~" : null
  const isLeft = !isSpace(after) && (!isMark(after) || isSpace(before) || isMark(before) || after === through)
  const isRight =
    !isSpace(before) && (!isMark(before) || isSpace(after) || isMark(after) || before === through)
  const isWithin = mark === "_" && isLeft && isRight
  return {
    mark,
    size: end - start,
    start,
    end,
    opens: isLeft && (!isWithin || isMark(before)),
    closes: isRight && (!isWithin || isMark(after))
  }
}

/** Returns true for runs that CommonMark pairs. @param {Run} opener @param {Run} closer */
const isPair = (opener, closer) => {
  if (opener.mark !== closer.mark) return false
  if (!/[*_]/.test(closer.mark)) return true
  const isThree = (opener.closes || closer.opens) && (opener.size + closer.size) % 3 === 0
  return !isThree || closer.size % 3 === 0
}

/** Pairs the runs of a text. Those that are left are shown. @param {ReadonlyArray<Run>} runs @param {Reading} reading */
const pair = (runs, { literals, parts }) => {
  /** @type {Array<Run>} */
  const openers = []
  for (const closer of runs) {
    while (closer.closes && closer.start < closer.end) {
      const at = openers.findLastIndex((opener) => isPair(opener, closer))
      const opener = openers[at]
      if (opener === undefined) break
      const isDouble = opener.end - opener.start > 1 && closer.end - closer.start > 1
      const size = isDouble ? 2 : 1
      const form =
        closer.mark === "~" ? "strike" : closer.mark === "+" ? "underline" : isDouble ? "bold" : "italic"
      opener.end -= size
      closer.start += size
      const [start, end] = [opener.end, closer.start]
      parts.push({ form, start, innerStart: start + size, innerEnd: end - size, end })
      openers.length = opener.start < opener.end ? at + 1 : at
    }
    if (closer.opens && closer.start < closer.end) openers.push(closer)
  }
  for (const { end, start } of runs) for (let at = start; at < end; at++) literals.push(at)
}

/**
 * Reads a paragraph. `isDefined` knows whether a label in brackets is a link.
 * @param {string} text
 * @param {(label: string) => boolean} isDefined
 * @returns {Reading}
 */
export const read = (text, isDefined = () => false) => {
  /** @type {Reading} */
  const reading = { parts: [], literals: [] }
  // Brackets in code belong to no link around it.
  const masked = text.replaceAll(CODE, (all) => (/^[`<]/.test(all) ? all.replaceAll(/[[\]]/g, "x") : all))
  /** @param {number} from @param {number} to */
  const readFrom = (from, to) => {
    /** @type {Array<Run>} */
    const runs = []
    const source = masked.slice(0, to)
    const token = new RegExp(TOKEN)
    token.lastIndex = from
    for (let found = token.exec(source); found !== null; found = token.exec(source)) {
      const { 0: all, groups = {}, index: start } = found
      const end = start + (groups["address"] === undefined ? all.length : endOfAddress(all))
      token.lastIndex = end
      if (groups["run"] !== undefined) {
        // Tildes and pluses are marks by twos.
        if (/[*_]/.test(all) || all.length === 2) runs.push(runOf(text, start, end))
        else for (let at = start; at < end; at++) reading.literals.push(at)
      } else if (groups["code"] !== undefined) {
        const { length } = groups["code"]
        reading.parts.push({ form: "code", start, innerStart: start + length, innerEnd: end - length, end })
      } else if (all.startsWith("[") && all[1] !== "^" && groups["target"]?.startsWith("(")) {
        const innerEnd = end - groups["target"].length - 1
        reading.parts.push({ form: "link", start, innerStart: start + 1, innerEnd, end })
        readFrom(start + 1, innerEnd)
      } else if (
        all.startsWith("[") &&
        all[1] !== "^" &&
        !isDefined((groups["target"] || all).slice(1, -1))
      ) {
        // Words in brackets.
        token.lastIndex = start + 1
      } else reading.parts.push({ form: null, start, innerStart: end, innerEnd: start, end })
    }
    pair(runs, reading)
  }
  readFrom(0, text.length)
  return reading
}

/** Returns the place of a character after changes. Text that is put there goes before it, or after it. @param {ReadonlyArray<Change>} changes @param {number} place @param {boolean} isBefore */
export const moved = (changes, place, isBefore) => {
  let by = 0
  for (const { at, insert, remove } of changes)
    if (at < place || (at === place && isBefore))
      by += insert.length - Math.min(remove, Math.max(0, place - at))
  return place + by
}

/** Returns changes at other places. @param {ReadonlyArray<Change>} changes @param {number} by */
export const shifted = (changes, by) =>
  changes.map(({ at, insert, remove }) => ({ at: at + by, insert, remove }))

/** Returns a text with changes. @param {string} text @param {ReadonlyArray<Change>} changes */
export const changed = (text, changes) => {
  let [done, from] = ["", 0]
  for (const { at, insert, remove } of changes) {
    done += text.slice(from, at) + insert
    from = at + remove
  }
  return done + text.slice(from)
}

/** Returns what readers see of a paragraph. @param {string} text @param {Reading} reading */
const shown = (text, { parts }) => {
  const cuts = parts.flatMap((part) => {
    if (part.form !== null) return removalOf(part)
    return text[part.start] === "\\" ? [{ at: part.start, remove: 1, insert: "" }] : []
  })
  return changed(text, inOrder(cuts))
}

/** Returns true for a part that becomes one with another next to it. Links stay apart. @param {Part} one @param {number} start @param {number} end */
const touches = (one, start, end) =>
  one.form === "link" && start < end
    ? one.start < end && one.end > start
    : one.start <= end && one.end >= start

/**
 * Returns true if each word of a part of a text has a form. Without a word, its place decides.
 * @param {string} text
 * @param {Reading} reading
 * @param {Form} form
 * @param {number} start
 * @param {number} end
 */
export const has = (text, { parts }, form, start, end) => {
  const own = parts.filter((part) => part.form === form)
  const isWithin = (/** @type {number} */ at, /** @type {number} */ to) =>
    own.some(({ innerEnd, innerStart }) => innerStart <= at && to <= innerEnd)
  if (start === end) return isWithin(start, end)
  const isWord = /[\p{L}\p{N}]/u.test(text.slice(start, end)) ? /[\p{L}\p{N}]/u : /\S/
  let at = start
  for (const character of text.slice(start, end)) {
    const isTarget = own.some((part) => part.form === "link" && part.innerEnd <= at && at < part.end)
    if (isWord.test(character) && !isTarget && !isWithin(at, at + character.length)) return false
    at += character.length
  }
  return true
}

/**
 * Returns the changes that take a form away. An underscore next to it becomes an asterisk, because it may stand within a word
 * then.
 * @param {string} text
 * @param {Reading} reading
 * @param {Form} form
 * @param {number} start
 * @param {number} end
 */
export const unmarked = (text, { parts }, form, start, end) => {
  const own = parts.filter((part) => part.form === form && touches(part, start, end))
  const isNext = (/** @type {Part} */ part) =>
    own.some((it) => part.start === it.end || part.end === it.start)
  const others = parts.filter((part) => part.form !== form && text[part.start] === "_" && isNext(part))
  const stars = others.flatMap((part) =>
    removalOf(part).map(({ at, remove }) => ({ at, remove, insert: "*".repeat(remove) }))
  )
  return inOrder([...own.flatMap(removalOf), ...stars])
}

/** @param {Part} part @returns {Array<Change>} */
const removalOf = (part) => [
  { at: part.start, remove: part.innerStart - part.start, insert: "" },
  { at: part.innerEnd, remove: part.end - part.innerEnd, insert: "" }
]

/** @param {ReadonlyArray<Change>} changes */
const inOrder = (changes) => changes.toSorted((one, other) => one.at - other.at)

const words = new Intl.Segmenter(undefined, { granularity: "word" })

/** Returns the word around a place, or the character at each side of it. @param {string} text @param {number} at */
export const wordAt = (text, at) => {
  const [before, after] = [words.segment(text).containing(at - 1), words.segment(text).containing(at)]
  const start = before?.index ?? at
  const end = after === undefined ? at : after.index + after.segment.length
  // At the end of a word, the word before it is meant.
  const word = [after, before].find((it) => it?.isWordLike)
  return { start, end, word: word && { start: word.index, end: word.index + word.segment.length } }
}

const BRACKETS = /^(?:\p{Ps}[^]*\p{Pe}|\p{Pi}[^]*\p{Pf}|"[^]*"|'[^]*')$/u

/**
 * Returns parts of a text around which marks may be read, in the order in which an author would choose them: the part itself,
 * what stands between its brackets, the part with the words at its ends, all up to the next spaces, and the whole text.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 */
const candidates = (text, start, end) => {
  /** @type {Array<[start: number, end: number]>} */
  const all = [[start, end]]
  for (let [s, e] = [start, end]; e - s > 2 && BRACKETS.test(text.slice(s, e));) all.push([++s, --e])
  const [s, e] = [wordAt(text, start).start, wordAt(text, end).end]
  const before = /(?<!\S)\S*$/.exec(text.slice(0, start))?.[0].length ?? 0
  const after = /^\S*/.exec(text.slice(end))?.[0].length ?? 0
  return [...all, [s, end], [start, e], [s, e], [start - before, end + after], [0, text.length]].filter(
    ([from = 0, to = 0]) => /\S/.test(text.slice(from, to))
  )
}

/** White space, with the signs of a quotation at the beginning of a line. */
const SPACE = /(?:\s|(?<=\n[ \t>]*)>)*/y

/**
 * Widens a part until it stands within or around each other part, and returns it without white space at its ends. Its own form
 * is joined to it.
 * @param {string} text
 * @param {Reading} reading
 * @param {Form} form
 * @param {number} start
 * @param {number} end
 */
const widened = (text, { parts }, form, start, end) => {
  for (let isStable = false; !isStable;) {
    isStable = true
    SPACE.lastIndex = start
    start += SPACE.exec(text.slice(0, end))?.[0].length ?? 0
    end -= /(?:\s|(?<=\n[ \t>]*)>)*$/.exec(text.slice(start, end))?.[0].length ?? 0
    for (const part of parts) {
      const isOwn = part.form === form
      const overlaps = isOwn ? touches(part, start, end) : part.start < end && part.end > start
      const isAround = start <= part.start && part.end <= end
      const isInside = !isOwn && part.innerStart <= start && end <= part.innerEnd
      if (!overlaps || isAround || isInside) continue
      isStable = false
      start = Math.min(start, part.start)
      end = Math.max(end, part.end)
    }
  }
  return { start, end }
}

/**
 * Returns the characters that would be read together with the marks of a part. `isAll` adds those within the part.
 * @param {string} text
 * @param {Reading} reading
 * @param {Form} form
 * @param {number} start
 * @param {number} end
 * @param {boolean} isAll
 */
const hindrances = (text, { literals, parts }, form, start, end, isAll) => {
  if (form === "code") return []
  const isFree = (/** @type {number} */ at) =>
    !parts.some((part) => /code|link/.test(part.form ?? "code") && part.start <= at && at < part.end)
  const found = isAll
    ? literals.filter((at) => start <= at && at < end && text[at] === MARKS[form][0][0])
    : []
  if (isAll && form === "link")
    for (let at = start; at < end; at++) if (/[[\]]/.test(text.charAt(at)) && isFree(at)) found.push(at)
  // A backslash would escape the mark, and an exclamation mark makes a picture of a link.
  const isEscape = (/** @type {number} */ at) =>
    parts.some((part) => part.form === null && part.start <= at && at < part.end)
  if (text[end - 1] === "\\" && !isEscape(end - 1)) found.push(end - 1)
  if (form === "link" && text[start - 1] === "!" && !isEscape(start - 1)) found.push(start - 1)
  return found
}

/**
 * Returns the marks of a form for a text. Code needs more backticks than it contains.
 * @param {Form} form
 * @param {string} inner
 * @param {string} url
 * @returns {readonly [open: string, close: string]}
 */
const marksOf = (form, inner, url) => {
  if (form === "link") return ["[", `](${url})`]
  if (form !== "code") return MARKS[form]
  let ticks = "`"
  while (new RegExp(`(?<!\`)${ticks}(?!\`)`).test(inner)) ticks += "`"
  return /^`|`$/.test(inner) ? [`${ticks} `, ` ${ticks}`] : [ticks, ticks]
}

/**
 * Returns the changes that put marks around a part of a paragraph. The part becomes larger, or smaller by its brackets, where
 * readers of Markdown would show the marks. Undefined if no part can have them.
 * @param {string} text
 * @param {Form} form
 * @param {number} from
 * @param {number} to
 * @param {{ url?: string, isDefined?: (label: string) => boolean }} [more]
 * @returns {ReadonlyArray<Change> | undefined}
 */
export const marked = (text, form, from, to, { isDefined, url = "url" } = {}) => {
  const before = read(text, isDefined)
  const others = (/** @type {Reading} */ { parts }) =>
    parts.filter((part) => part.form !== form && part.form !== null).length
  const seen = shown(text, before)
  for (const [first = 0, last = 0] of candidates(text, from, to)) {
    const { end, start } = widened(text, before, form, first, last)
    const own = before.parts
      .filter((part) => part.form === form && touches(part, start, end))
      .flatMap(removalOf)
    const inside = own.filter(({ at }) => start <= at && at < end)
    const [open, close] = marksOf(
      form,
      changed(text.slice(start, end), shifted(inOrder(inside), -start)),
      url
    )
    for (const isAll of [false, true]) {
      const escapes = hindrances(text, before, form, start, end, isAll)
      const changes = inOrder([
        { at: start, remove: 0, insert: open },
        ...escapes.map((at) => ({ at, remove: 0, insert: "\\" })),
        ...own,
        { at: end, remove: 0, insert: close }
      ])
      const after = changed(text, changes)
      const reading = read(after, isDefined)
      const isRead = has(after, reading, form, moved(changes, start, true), moved(changes, end, false))
      if (
        isRead &&
        (form === "code" || (others(reading) === others(before) && shown(after, reading) === seen))
      )
        return changes
    }
  }
  return undefined
}
