// @ts-check
// Makes Markdown of HTML that an author pastes. It takes nodes of any document, so Node tests it.

import { changed, marked, moved } from "./marks.js"

/** @typedef {import("./marks.js").Form} Form */

/** A node of a document, as browsers have it. @typedef {{ nodeName: string, nodeValue: string | null, childNodes: Iterable<PastedNode>, getAttribute?: (name: string) => string | null }} PastedNode */

/** The look of a text. @typedef {{ bold: boolean, italic: boolean, underline: boolean, strike: boolean, code: boolean, link: string | null }} Look */

/** A text of one look. @typedef {{ text: string, look: Look }} Piece */

const PLAIN = { bold: false, italic: false, underline: false, strike: false, code: false, link: null }

/** Elements that a page does not show as text. */
const HIDDEN =
  /^(?:HEAD|STYLE|SCRIPT|TEMPLATE|TITLE|META|LINK|XML|NOSCRIPT|SVG|MATH|BUTTON|INPUT|SELECT|TEXTAREA|#COMMENT|O:P)$/

const BLOCK =
  /^(?:P|DIV|H[1-6]|UL|OL|LI|DL|DT|DD|TABLE|BLOCKQUOTE|PRE|HR|SECTION|ARTICLE|HEADER|FOOTER|MAIN|NAV|ASIDE|FIGURE|FIGCAPTION|ADDRESS|DETAILS|SUMMARY|FORM|BODY|HTML)$/

const nameOf = (/** @type {PastedNode} */ { nodeName }) => nodeName.toUpperCase()
const childrenOf = (/** @type {PastedNode} */ { childNodes }) => [...childNodes]
const attribute = (/** @type {PastedNode} */ node, /** @type {string} */ name) =>
  node.getAttribute?.(name) ?? ""

/** Returns the value of a style, which stands in `data-style`. @param {PastedNode} node @param {string} name */
const styleOf = (node, name) =>
  new RegExp(`(?:^|;)\\s*${name}\\s*:\\s*([^;]*)`, "i").exec(attribute(node, "data-style"))?.[1]?.trim() ?? ""

/** Returns an address of the web as a link has it; null for any other. @param {string} address */
const addressOf = (address) => {
  if (!/^(?:https?|mailto):/i.test(address.trim())) return null
  try {
    return new URL(address).href.replaceAll(
      /[()\\<>]/g,
      (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`
    )
  } catch {
    return null
  }
}

/** Returns the look of a node's text. @param {PastedNode} node @param {Look} look @returns {Look} */
const lookOf = (node, look) => {
  const name = nameOf(node)
  const [weight, line] = [styleOf(node, "font-weight"), styleOf(node, "text-decoration(?:-line)?")]
  const slant = styleOf(node, "font-style")
  const link = name === "A" ? addressOf(attribute(node, "href")) : look.link
  const isBold = /^(?:B|STRONG)$/.test(name) || look.bold
  const isItalic = /^(?:I|EM|CITE|DFN|VAR)$/.test(name) || look.italic
  return {
    bold: weight === "" ? isBold : /^(?:bold|bolder|[6-9]00)/i.test(weight),
    italic: slant === "" ? isItalic : /^(?:italic|oblique)/i.test(slant),
    // Links are underlined anyway.
    underline: link === null && (look.underline || /^(?:U|INS)$/.test(name) || /underline/i.test(line)),
    strike: look.strike || /^(?:S|STRIKE|DEL)$/.test(name) || /line-through/i.test(line),
    code: look.code || /^(?:CODE|KBD|SAMP|TT)$/.test(name),
    link
  }
}

/** Escapes what readers of Markdown would take for marks. @param {string} text */
const escaped = (text) =>
  text
    .replaceAll(
      /[\\`*[\]]|<(?=[a-z/!?])|&(?=#?[a-z\d]+;)|~(?=~)|(?<=~)~|\+(?=\+)|(?<=\+)\+/gi,
      String.raw`\$&`
    )
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)

/** Escapes what would make another block of a line. @param {string} line */
const escapedLine = (line) =>
  line
    .replace(/^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-=]+$)/, String.raw`\$&`)
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, String.raw`$1\$2`)

/** The characters that are read for the marks of a paste, at most. It is about a second of work. */
const READ_MAX = 4_000_000

/** The characters that may still be read. Lines that need more have no marks. */
let left = READ_MAX

/** Returns true if these characters may be read, and counts them. @param {number} characters */
const mayRead = (characters) => {
  if (characters > left) return false
  left -= characters
  return true
}

/** Returns the Markdown of texts. `lineBreak` breaks a line. @param {ReadonlyArray<Piece>} pieces @param {string} lineBreak */
const inlineOf = (pieces, lineBreak) => {
  /** @type {Array<string>} */
  const parts = []
  let length = 0
  /** @param {string} part */
  const add = (part) => {
    if (part !== "") parts.push(part)
    length += part.length
  }
  const trimEnd = () => {
    for (let last = parts.pop(); last !== undefined; last = parts.pop()) {
      length -= last.length
      add(last.trimEnd())
      if (last.trim() !== "") return
    }
  }
  /** @type {Array<{ form: Form, url: string, start: number, end: number }>} */
  const ranges = []
  /** The last range of each form. @type {Map<Form, typeof ranges[number]>} */
  const lasts = new Map()
  for (const { look, text: raw } of pieces) {
    // White space at a break or at the ends is not shown.
    const isStart = /^\s?$/.test(parts.at(-1)?.at(-1) ?? "")
    const words = isStart ? raw.replace(/^[ \t\n]+/, "") : raw
    if (words === "") continue
    const start = length
    if (words === "\0") {
      trimEnd()
      add("\n")
      continue
    }
    if (look.code && words.trim() !== "" && mayRead(words.length))
      add(changed(words, marked(words, "code", 0, words.length) ?? []))
    else add(escaped(words))
    for (const form of /** @type {const} */ (["link", "bold", "italic", "underline", "strike"])) {
      if (!look[form]) continue
      const url = form === "link" ? (look.link ?? "") : ""
      const last = lasts.get(form)
      if (last !== undefined && last.end === start && last.url === url) last.end = length
      else {
        const range = { form, url, start, end: length }
        ranges.push(range)
        lasts.set(form, range)
      }
    }
  }
  let text = parts.join("")
  // The whole line is read for each range.
  const characters = ranges.reduce((sum, { url }) => sum + url.length, length)
  if (!mayRead(ranges.length * characters)) ranges.length = 0
  const isOf = (/** @type {Form} */ form) => (/** @type {{ form: Form }} */ it) => Number(it.form !== form)
  for (const range of ranges.toSorted((a, b) => isOf("link")(a) - isOf("link")(b))) {
    if (text.slice(range.start, range.end).trim() === "") continue
    const changes =
      marked(text, range.form, range.start, Math.min(range.end, text.length), { url: range.url }) ?? []
    text = changed(text, changes)
    for (const other of ranges) {
      other.start = moved(changes, other.start, true)
      other.end = moved(changes, other.end, false)
    }
  }
  return text
    .trim()
    .split("\n")
    .map((line) => escapedLine(line.trim()))
    .join(lineBreak)
}

/** Collects the texts of a node that stand in one line. @param {PastedNode} node @param {Look} look @param {Array<Piece>} pieces */
const collect = (node, look, pieces) => {
  const name = nameOf(node)
  if (name === "#TEXT") pieces.push({ text: (node.nodeValue ?? "").replaceAll(/[ \t\r\n\f\0]+/g, " "), look })
  else if (name === "BR") pieces.push({ text: "\0", look: PLAIN })
  else if (!HIDDEN.test(name) && !/Ignore/.test(styleOf(node, "mso-list")))
    for (const child of childrenOf(node)) collect(child, lookOf(node, look), pieces)
}

/** @param {PastedNode} node */
const textOf = (/** @type {PastedNode} */ node) => {
  /** @type {Array<Piece>} */
  const pieces = []
  collect(node, PLAIN, pieces)
  return pieces
}

/** Returns the text of a node as it is. @param {PastedNode} node @returns {string} */
const rawText = (node) =>
  nameOf(node) === "BR" ? "\n" : (node.nodeValue ?? childrenOf(node).map(rawText).join(""))

/** Returns nodes with a name that are not within another one. @param {PastedNode} node @param {RegExp} name @returns {Array<PastedNode>} */
const within = (node, name) =>
  childrenOf(node).flatMap((child) => (name.test(nameOf(child)) ? [child] : within(child, name)))

/** Tells which nodes have an image within them. @type {WeakMap<PastedNode, boolean>} */
const withImages = new WeakMap()

/** Returns true for a node with an image within it. It reads each node once. @param {PastedNode} node @returns {boolean} */
const hasImage = (node) => {
  const known = withImages.get(node)
  if (known !== undefined) return known
  const has = childrenOf(node).some((child) => nameOf(child) === "IMG" || hasImage(child))
  withImages.set(node, has)
  return has
}

/** @param {string} text @param {string} sign */
const indented = (text, sign) => {
  const space = " ".repeat(sign.length)
  return sign + text.replaceAll(/\n(?!\n|$)/g, `\n${space}`)
}

const CELLS_MAX = 50_000

/** Returns the Markdown of a table. @param {PastedNode} table @returns {Array<string>} */
const tableOf = (table) => {
  const rows = within(table, /^TR$/).map((row) => within(row, /^T[DH]$/))
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  // A table of one column lays out a page. One of too many cells is no text.
  if (width < 2 || width * rows.length > CELLS_MAX) return rows.flat().flatMap(blocksOf)
  const lines = rows.map((row) => {
    const cells = row.map((cell) => inlineOf(textOf(cell), "<br>").replaceAll(/(?<!\\)\|/g, String.raw`\|`))
    return `| ${[...cells, ...Array(width - cells.length).fill("")].join(" | ")} |`
  })
  return [[lines[0], `|${" --- |".repeat(width)}`, ...lines.slice(1)].join("\n")]
}

/** Returns the Markdown of a list. @param {PastedNode} list @returns {Array<string>} */
const listOf = (list) => {
  let number = (Number.parseInt(attribute(list, "start"), 10) || 1) - 1
  /** @type {Array<string>} */
  const items = []
  for (const item of childrenOf(list)) {
    const isList = /^[UO]L$/.test(nameOf(item))
    if (!isList && nameOf(item) !== "LI") continue
    const last = items.length - 1
    // Some programs put a list next to its item.
    if (isList && last >= 0)
      items[last] += `\n${indented(listOf(item).join("\n"), nameOf(list) === "OL" ? "   " : "  ")}`
    else {
      const sign = nameOf(list) === "OL" ? `${++number}. ` : "- "
      items.push(indented(isList ? listOf(item).join("\n") : blocksOf(item).join("\n"), sign))
    }
  }
  return items.length === 0 ? [] : [items.join("\n")]
}

/** Returns an item of a list as word processors write it. @param {PastedNode} node @param {Array<string>} blocks */
const wordItem = (node, blocks) => {
  const level = Number(/level(\d)/.exec(styleOf(node, "mso-list"))?.[1] ?? 1)
  const marker =
    within(node, /^SPAN$/)
      .map(rawText)
      .find((it) => /\S/.test(it)) ?? ""
  const sign = /^\s*\d/.test(marker) ? "1. " : "- "
  const item = "   ".repeat(level - 1) + sign + inlineOf(textOf(node), " ")
  const last = blocks.at(-1)
  if (last !== undefined && /^(?:-|1\.) /.test(last)) blocks[blocks.length - 1] = `${last}\n${item}`
  else blocks.push(item)
}

/** Returns the Markdown of the blocks of a node. @param {PastedNode} parent @returns {Array<string>} */
const blocksOf = (parent) => {
  /** @type {Array<string>} */
  const blocks = []
  /** @type {Array<Piece>} */
  let line = []
  const end = () => {
    const text = inlineOf(line, "\\\n")
    if (text !== "") blocks.push(text)
    line = []
  }
  /** @param {PastedNode} node @param {Look} look */
  const walk = (node, look) => {
    const name = nameOf(node)
    if (HIDDEN.test(name)) return
    const hasBlock = BLOCK.test(name) || childrenOf(node).some((child) => BLOCK.test(nameOf(child)))
    if (name === "IMG") {
      const source = addressOf(attribute(node, "src"))
      end()
      if (source?.startsWith("http")) blocks.push(`![${escaped(attribute(node, "alt"))}](${source})`)
    } else if (!hasBlock && !hasImage(node)) collect(node, look, line)
    else if (!BLOCK.test(name) || !/^(?:H[1-6]|UL|OL|TABLE|BLOCKQUOTE|PRE|HR)$/.test(name)) {
      // A paragraph, or a part that has paragraphs.
      if (BLOCK.test(name)) end()
      if (/level\d/.test(styleOf(node, "mso-list"))) wordItem(node, blocks)
      else for (const child of childrenOf(node)) walk(child, lookOf(node, look))
      if (BLOCK.test(name)) end()
    } else {
      end()
      for (const block of blockOf(node, name)) blocks.push(block)
    }
  }
  for (const child of childrenOf(parent)) walk(child, PLAIN)
  end()
  return blocks
}

/** @param {PastedNode} node @param {string} name @returns {Array<string>} */
const blockOf = (node, name) => {
  if (name === "UL" || name === "OL") return listOf(node)
  if (name === "TABLE") return tableOf(node)
  if (name === "HR") return ["---"]
  if (name === "BLOCKQUOTE")
    return [blocksOf(node).join("\n\n").replaceAll(/^/gm, "> ").replaceAll(/ $/gm, "")]
  if (name === "PRE") {
    const code = rawText(node).replace(/^\n|\n$/g, "")
    const longest = code.match(/`+/g)?.reduce((most, { length }) => Math.max(most, length), 0) ?? 0
    const fence = "`".repeat(Math.max(3, longest + 1))
    return [`${fence}\n${code}\n${fence}`]
  }
  const heading = inlineOf(
    textOf(node).map(({ look, text }) => ({ text, look: { ...look, bold: false } })),
    " "
  )
  return heading === ""
    ? []
    : [`${"#".repeat(Number(name[1]))} ${heading.replace(/(?<![\\#])#+$/, String.raw`\$&`)}`]
}

/** Returns the Markdown of HTML; undefined for one without any form, whose plain text says the same. @param {PastedNode} body */
export const markdownOf = (body) => {
  left = READ_MAX
  // Editors of code copy lines in colours.
  if (within(body, /^(?:DIV|PRE)$/).some((it) => /^pre$/i.test(styleOf(it, "white-space")))) return undefined
  const blocks = blocksOf(body)
  const bare = blocks.join("\n").replaceAll(/\\(?=[\n\W_])/g, "")
  const plain = rawOf(body)
  return bare.replaceAll(/\s+/g, "") === plain.replaceAll(/\s+/g, "") ? undefined : blocks.join("\n\n")
}

/** Returns the text that readers see. @param {PastedNode} node @returns {string} */
const rawOf = (node) =>
  HIDDEN.test(nameOf(node)) ? "" : (node.nodeValue ?? childrenOf(node).map(rawOf).join(""))

/**
 * Returns true for a paste or a drop of nothing but files. File managers add their names, and programs add a picture to a text.
 * @param {string} text
 * @param {ReadonlyArray<string>} names
 */
export const areFiles = (text, names) => {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return names.length > 0 && lines.every((line) => names.includes(fileNameOf(line)))
}

/** @param {string} path */
const fileNameOf = (path) => {
  const name = path.replace(/^.*[/\\]/, "")
  try {
    return path.startsWith("file:") ? decodeURIComponent(name) : name
  } catch {
    return name
  }
}
