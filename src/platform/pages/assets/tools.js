// @ts-check
// The tools of the toolbar, their keys, and what Return does in a list. A tool acts on the words or lines of a selection, and a
// second press takes it back. This has no page, so Node tests it.

import { changed, has, marked, moved, read, shifted, unmarked, wordAt } from "./marks.js"

/** @typedef {import("./marks.js").Form} Form */
/** @typedef {import("./marks.js").Change} Change */
/** @typedef {Form | "heading" | "quote" | "list" | "numbers"} Tool */

/** A text field: its value and its selection. @typedef {{ value: string, start: number, end: number }} Field */

/** What a tool does: it replaces a part of the text, and selects another. @typedef {{ from: number, to: number, insert: string, start: number, end: number }} Edit */

/** A line with its signs: quotation marks, indentation, the sign of a list, and of a heading. `words` is where they end. @typedef {{ at: number, end: number, text: string, quote: string, indent: string, item: string, heading: string, words: number, isCode: boolean, isFence: boolean, opens: boolean, closes: boolean }} Line */

const ITEM = String.raw`(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)`
// Only an item takes the white space after its sign. With two ways to take it, a line of many signs would take forever.
const LINE = new RegExp(
  String.raw`^((?:[ \t]*(?:${ITEM})*>[ \t]?)*)([ \t]*(?:${ITEM}(?=${ITEM}))*)(${ITEM})?(#{1,6}(?:[ \t]+|$))?`
)

/** Returns the lines of a text. @param {string} value @returns {ReadonlyArray<Line>} */
const linesOf = (value) => {
  let at = 0
  let fence = ""
  let isText = false
  return value.split("\n").map((text) => {
    let [all = "", quote = "", indent = "", item = "", heading = ""] = LINE.exec(text) ?? []
    // Only an item with words interrupts a paragraph, and of numbers only the first.
    if (isText && item !== "" && (all === text || /^(?!1\D)\d/.test(item)))
      [all, item, heading] = [quote + indent, "", ""]
    const sign =
      /^(?:`{3,}(?!.*`)|~{3,})/.exec(text.slice(quote.length + indent.length + item.length))?.[0] ?? ""
    const isEnd = fence !== "" && sign.startsWith(fence) && text.trimEnd().endsWith(sign) && item === ""
    const isFence = fence === "" ? sign !== "" : isEnd
    const isCode = fence !== "" || isFence
    if (isFence) fence = isEnd ? "" : sign
    isText = !isCode && item === "" && indent === "" && heading === "" && text.trim() !== "" && all !== text
    const line = {
      at,
      end: at + text.length,
      text,
      quote,
      indent,
      item,
      heading,
      words: at + all.length,
      isCode,
      isFence,
      opens: isFence && !isEnd,
      closes: isEnd
    }
    at += text.length + 1
    return line
  })
}

/** Returns true for a line without words. @param {Line} line */
const isBlank = ({ end, text, words }) => /^[-=_*:|\s]*$/.test(text.slice(text.length - end + words))

/** Returns true for a line that goes on with the paragraph of the line before it. @param {Line | undefined} before @param {Line} line */
const continues = (before, line) =>
  before !== undefined &&
  ![before, line].some(
    (it) =>
      it.isCode || (it.item === "" && it.words === it.end) || it.heading !== "" || /^\s*\|/.test(it.text)
  ) &&
  line.item === "" &&
  // A line with fewer signs of a quotation goes on with the one of the line before it.
  before.quote.replaceAll(/\s/g, "").startsWith(line.quote.replaceAll(/\s/g, ""))

/** Returns the paragraphs of a text, from their first words to their last. @param {string} value */
const paragraphsOf = (value) => {
  /** @type {Array<{ start: number, end: number }>} */
  const all = []
  const lines = linesOf(value)
  for (const [index, line] of lines.entries()) {
    if (line.isCode || isBlank(line)) continue
    const closing = line.heading === "" ? /\\*[ \t]*$/ : /(?:(?:^|[ \t]+)#+)?[ \t]*$/
    const text = value.slice(line.words, line.end)
    const sign = closing.exec(text)?.[0] ?? ""
    // A backslash at the end of a line breaks it.
    const end = line.end - (sign.startsWith("\\") && sign.trim().length % 2 === 0 ? 0 : sign.length)
    const last = all.at(-1)
    const before = lines[index - 1]
    if (last !== undefined && before !== undefined && !isBlank(before) && continues(before, line))
      last.end = end
    else if (/^\s*\|/.test(line.text))
      for (const cell of value.slice(line.at, line.end).matchAll(/(?:[^\\|]|\\.)+/g))
        all.push({ start: line.at + cell.index, end: line.at + cell.index + cell[0].length })
    else {
      // The box of a task is no word of its item.
      const box = line.item === "" ? null : /^\[[ x]\][ \t]+(?=\S)/i.exec(text)
      all.push({ start: line.words + (box?.[0].length ?? 0), end })
    }
  }
  return all
}

/** Knows the labels that a text defines. @param {string} value */
const definedIn = (value) => (/** @type {string} */ label) =>
  value.toLowerCase().includes(`[${label.toLowerCase()}]:`)

/** Returns the edit of a field that changes make, with the same words selected. @param {Field} field @param {ReadonlyArray<Change>} changes @returns {Edit} */
const editOf = ({ end, start, value }, changes) => {
  const [first, last] = [changes[0], changes.at(-1)]
  const [from, to] = [first?.at ?? start, last === undefined ? start : last.at + last.remove]
  return {
    from,
    to,
    insert: changed(value.slice(from, to), shifted(changes, -from)),
    start: moved(changes, start, start < end || changes.at(-1)?.at !== start),
    end: moved(changes, end, start === end && changes.at(-1)?.at !== end)
  }
}

/** Puts words between marks, or takes the marks away. @param {Form} form @param {Field} field @param {string} [url] @returns {Edit | undefined} */
const toggleWords = (form, field, url) => {
  const { end, start, value } = field
  const isDefined = definedIn(value)
  const isCaret = value.slice(start, end).trim() === ""
  const lines = linesOf(value)
  if (inCode(field)) return undefined
  /** @type {number | undefined} */
  let exit
  const all = paragraphsOf(value).flatMap((paragraph) => {
    const text = value.slice(paragraph.start, paragraph.end)
    let [from, to] = [start - paragraph.start, (isCaret ? start : end) - paragraph.start]
    if (from > text.length || to < 0) return []
    from = Math.max(0, from)
    to = Math.min(text.length, to)
    const reading = read(text, isDefined)
    const isMarked = has(text, reading, form, from, to)
    // An author who typed the bold words goes on after them.
    const typed =
      isCaret && start === end && form !== "link"
        ? reading.parts.find((it) => it.form === form && it.innerEnd === from)
        : undefined
    if (typed !== undefined) exit = paragraph.start + typed.end
    if (isCaret && !isMarked) {
      const { word } = wordAt(text, from)
      if (word === undefined) return []
      from = word.start
      to = word.end
    }
    if (!isCaret && text.slice(from, to).trim() === "") return []
    return [
      {
        at: paragraph.start,
        text,
        from,
        to,
        isMarked: isMarked || has(text, reading, form, from, to),
        reading
      }
    ]
  })
  if (exit !== undefined) return { from: exit, to: exit, insert: "", start: exit, end: exit }
  const first = all[0]
  if (first === undefined) return isCaret ? placeholder(form, field, lines) : undefined
  const isRemoval = url === undefined && all.every(({ isMarked }) => isMarked)
  const changes = all.flatMap(({ at, from, isMarked, reading, text, to }) => {
    const own = isRemoval
      ? unmarked(text, reading, form, from, to)
      : isMarked && url === undefined
        ? []
        : (marked(text, form, from, to, { isDefined, ...(url === undefined ? {} : { url }) }) ?? [])
    return shifted(own, at)
  })
  if (changes.length === 0) return undefined
  const edit = editOf(field, changes)
  // The address is typed next.
  if (form !== "link" || isRemoval || url !== undefined || all.length > 1) return edit
  const target = edit.from + edit.insert.lastIndexOf("](url)") + 2
  return { ...edit, start: target, end: target + 3 }
}

/** Puts a word between marks where there is none, and selects it, so that the author types over it. @param {Form} form @param {Field} field @param {ReadonlyArray<Line>} lines @returns {Edit} */
const placeholder = (form, { end, start, value }, lines) => {
  const line = lines.find((it) => it.at <= start && start <= it.end)
  const at = Math.max(start, Math.min(line?.words ?? start, end))
  const word = "text"
  // Marks next to other marks would be read together with them.
  const lead = /[\\*_~+`![]/.test(value.charAt(at - 1)) ? " " : ""
  const tail = /[*_~+`(]/.test(value.charAt(at)) ? " " : ""
  const insert = lead + changed(word, marked(word, form, 0, word.length) ?? []) + tail
  const inner = at + insert.indexOf(word)
  return { from: at, to: at, insert, start: inner, end: inner + word.length }
}

/** Returns the lines of a selection, and those around them. @param {Field} field */
const selectedLines = ({ end, start, value }) => {
  const lines = linesOf(value)
  let first = lines.findIndex((line) => start <= line.end)
  let last = lines.findLastIndex((line) => line.at <= end)
  // A selection up to the beginning of a line leaves the line out, and blank lines around the others stay as they are.
  if (last > first && lines[last]?.at === end) last--
  while (first < last && lines[first]?.text.trim() === "") first++
  while (first < last && lines[last]?.text.trim() === "") last--
  return { lines, first, last }
}

/**
 * Returns the edit that replaces lines, perhaps with a blank line before or after them. A caret stays at its word.
 * @param {Field} field
 * @param {ReadonlyArray<Line>} lines
 * @param {ReadonlyArray<string>} texts
 * @param {{ isAfter: boolean, isBefore: boolean }} blank
 * @returns {Edit}
 */
const editOfLines = ({ end, start }, lines, texts, { isAfter, isBefore }) => {
  const [from, to] = [lines[0]?.at ?? start, lines.at(-1)?.end ?? end]
  const lead = isBefore ? "\n" : ""
  const insert = lead + texts.join("\n") + (isAfter ? "\n" : "")
  if (start < end) return { from, to, insert, start: from + lead.length, end: from + insert.length }
  const index = Math.max(
    0,
    lines.findLastIndex(({ at }) => at <= start)
  )
  const before = from + lead.length + texts.slice(0, index).join("\n").length + (index > 0 ? 1 : 0)
  const caret = before + Math.max(0, (texts[index]?.length ?? 0) - ((lines[index]?.end ?? start) - start))
  return { from, to, insert, start: caret, end: caret }
}

/** Returns the indentation of a line that may have a sign. Deeper lines are code. @param {Line | undefined} before @param {Line} line */
const indentOf = (before, { indent, item }) =>
  item === "" && /^(?: {4}| {0,3}\t)/.test(indent) && !before?.item && !before?.indent ? "" : indent

/** Returns a line without the backslash that breaks it. @param {string} text */
const unbroken = (text) => text.replace(/(?<!\\)((?:\\\\)*)\\$/, "$1")

/** Makes lines headings, items of a list or a quotation, or takes their signs away. @param {"heading" | "quote" | "list" | "numbers"} tool @param {Field} field @returns {Edit | undefined} */
const toggleLines = (tool, field) => {
  let { first, last, lines } = selectedLines(field)
  // A quotation holds whole paragraphs.
  if (tool === "quote") {
    const whole = wholeCode(lines, first, last)
    first = whole.from
    last = whole.to
    while (continues(lines[first - 1], /** @type {Line} */ (lines[first]))) first--
    while (last + 1 < lines.length && continues(lines[last], /** @type {Line} */ (lines[last + 1]))) last++
  }
  const chosen = lines.slice(first, last + 1)
  if (tool !== "quote" && chosen.some(({ isCode }) => isCode)) return undefined
  const isEmpty = chosen.every(({ text }) => text.trim() === "")
  const acts = (/** @type {Line} */ line) => isEmpty || line.text.trim() !== ""
  const restOf = (/** @type {Line} */ { at, text, words }, from = words) => text.slice(from - at)
  const [before, after] = [lines[first - 1], lines[last + 1]]
  const isOf = (/** @type {Line} */ { heading, item, quote }) =>
    tool === "heading"
      ? heading !== ""
      : tool === "quote"
        ? quote.includes(">")
        : tool === "list"
          ? /^[-*+]/.test(item)
          : /^\d/.test(item)
  const isRemoval = chosen.filter(acts).every(isOf)
  let number = tool === "numbers" && before !== undefined ? Number.parseInt(before.item, 10) || 0 : 0
  const bullet = tool === "list" ? (/^[-*+]/.exec(before?.item ?? "")?.[0] ?? "-") : ""

  /** @param {Line} line @param {number} index */
  const written = (line, index) => {
    const { heading, item, quote, text } = line
    const below = chosen[index + 1] ?? after
    // A backslash breaks a line only within its paragraph.
    const words = below !== undefined && continues(line, below) ? unbroken(restOf(line)) : restOf(line)
    if (tool === "quote")
      return isRemoval
        ? quote.replace(/>[ \t]?(?=[^>]*$)/, "") + text.slice(quote.length)
        : text.trim() === "" && !isEmpty
          ? ">"
          : `> ${text}`
    if (!acts(line)) return text
    const indent = indentOf(before, line)
    if (tool === "heading") {
      if (isRemoval) return quote + line.indent + item + restOf(line).replace(/[ \t]+#+[ \t]*$/, "")
      // Signs at the end of a heading would be taken for its own.
      return `${quote}${indent}${item.replace(/\S$/, "$& ")}## ${words.replace(/(^|[ \t])(#+[ \t]*)$/, "$1\\$2")}`
    }
    const rest = heading + words
    if (isRemoval) return quote + line.indent + rest
    return `${quote}${indent}${tool === "list" ? bullet : `${++number}.`} ${rest}`
  }
  const texts = chosen.map(written)
  const isNew = (tool === "list" || tool === "numbers") && !isRemoval
  const bottom = chosen.at(-1)
  return editOfLines(field, chosen, texts, {
    // A line after the list would belong to its last item, and an empty item to the paragraph before it.
    isAfter: isNew && bottom !== undefined && after !== undefined && continues(bottom, after),
    isBefore: isNew && isEmpty && before !== undefined && before.item === "" && before.text.trim() !== ""
  })
}

/** Returns lines with the whole blocks of code at their ends. @param {ReadonlyArray<Line>} lines @param {number} first @param {number} last */
const wholeCode = (lines, first, last) => {
  let [from, to] = [first, last]
  while (lines[from]?.isCode && !lines[from]?.opens && from > 0) from--
  while (lines[to]?.isCode && !lines[to]?.closes && to + 1 < lines.length) to++
  return { from, to }
}

/** Makes lines a block of code, or takes its fences away. @param {Field} field @returns {Edit | undefined} */
const toggleBlock = (field) => {
  const { first, last, lines } = selectedLines(field)
  const { from, to } = wholeCode(lines, first, last)
  const chosen = lines.slice(from, to + 1)
  const [top, bottom] = [/** @type {Line} */ (chosen[0]), /** @type {Line} */ (chosen.at(-1))]
  if (chosen.every(({ isCode }) => isCode))
    return editOf(
      field,
      chosen.flatMap(({ at, closes, end, opens }) =>
        opens || closes ? [{ at: opens ? at : at - 1, remove: end - at + 1, insert: "" }] : []
      )
    )
  let fence = "```"
  while (chosen.some(({ text }) => text.includes(fence))) fence += "`"
  return editOf(field, [
    { at: top.at, remove: 0, insert: `${top.quote}${fence}\n` },
    { at: bottom.end, remove: 0, insert: `\n${top.quote}${fence}` }
  ])
}

/**
 * Returns what a tool does to a field; undefined if it can do nothing there.
 * @param {Tool} tool
 * @param {Field} field
 * @returns {Edit | undefined}
 */
export const use = (tool, field) => {
  if (tool === "heading" || tool === "quote" || tool === "list" || tool === "numbers")
    return toggleLines(tool, field)
  const { end, start, value } = field
  const { first, last, lines } = selectedLines(field)
  const isBlock =
    value.slice(start, end).trim().includes("\n") || lines.slice(first, last + 1).some(({ isCode }) => isCode)
  return tool === "code" && isBlock ? toggleBlock(field) : toggleWords(tool, field)
}

/** Returns true if a selection begins in a block of code. @param {Field} field */
export const inCode = ({ start, value }) =>
  linesOf(value).some((line) => line.isCode && line.at <= start && start <= line.end)

/** Returns the edit that makes the selected words a link. @param {Field} field @param {string} url */
export const linkTo = (field, url) => toggleWords("link", field, url)

/** Returns the edit that takes another one back. @param {Field} field @param {Edit} edit @returns {Edit} */
export const inverse = ({ end, start, value }, { from, insert, to }) => ({
  from,
  to: from + insert.length,
  insert: value.slice(from, to),
  start,
  end
})

/** Characters in which a line has its first sign. */
const LINE_BEGINNING = 200

/**
 * Returns what Return does in a list or a quotation: it begins the next item, and ends the list in an empty one. Undefined
 * elsewhere.
 * @param {Field} field
 * @returns {Edit | undefined}
 */
export const newLine = ({ end, start, value }) => {
  // Most lines have no sign, and a long text is not read for them.
  const begun = start === 0 ? 0 : value.lastIndexOf("\n", start - 1) + 1
  if (!/^[ \t]*[->*+\d]/.test(value.slice(begun, begun + LINE_BEGINNING))) return undefined
  const lines = linesOf(value)
  const index = lines.findIndex((it) => it.at <= start && start <= it.end)
  const line = lines[index]
  if (line === undefined || line.isCode || (line.item === "" && !line.quote.includes(">"))) return undefined
  const signs = line.quote.length + line.indent.length + line.item.length
  if (start < line.at + signs || isRule(line)) return undefined
  const next = (/** @type {Line} */ { indent, item, quote }) =>
    quote + indent.replaceAll(/\S/g, " ") + item.replace(/^\d+/, (number) => String(Number(number) + 1))
  if (line.text.slice(signs).trim() !== "") {
    const insert = `\n${next(line)}`
    return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length }
  }
  // An empty item ends its list, or goes on with the list around it.
  const outer = lines
    .slice(0, index)
    .findLast(({ indent, item }) => item !== "" && indent.length < line.indent.length)
  const isWithin = line.item !== "" && line.indent !== "" && outer !== undefined
  const quote = line.item === "" ? line.quote.replace(/>[ \t]?$/, "") : line.quote
  const insert = isWithin
    ? next(outer)
    : line.item !== "" && quote === ""
      ? "\n"
      : quote.trim() === ""
        ? "\n"
        : `${quote.trimEnd()}\n${quote}`
  return {
    from: line.at,
    to: Math.max(line.end, end),
    insert,
    start: line.at + insert.length,
    end: line.at + insert.length
  }
}

/** Returns true for a line across the page. @param {Line} line */
const isRule = ({ text }) => /^\s*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(text)

/**
 * Returns the letter of a key: that of its place on the keyboard where the layout has no Latin letters.
 * @param {{ key: string, code: string }} event
 */
export const letterOf = ({ code, key }) =>
  (/^[a-z]$/i.test(key) ? key : (/^Key([A-Z])$/.exec(code)?.[1] ?? "")).toLowerCase()
