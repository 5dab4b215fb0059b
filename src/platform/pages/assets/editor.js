// @ts-check
// The toolbar of the texts in Markdown, its keys, and the way to a place that was refused. `tools.js` decides what a tool does.

import { areFiles, markdownOf } from "./pasting.js"
import { inCode, inverse, letterOf, linkTo, newLine, use } from "./tools.js"

/** Changes a text so that one step of the browser undoes it. @param {HTMLTextAreaElement} text @param {import("./tools.js").Edit} edit */
export const type = (text, { end, from, insert, start, to }) => {
  text.focus()
  text.setSelectionRange(from, to)
  if (from < to || insert !== "") document.execCommand(insert === "" ? "delete" : "insertText", false, insert)
  text.setSelectionRange(start, end)
}

/** Returns the value and the selection of a text. @param {HTMLTextAreaElement} text */
const fieldOf = ({ selectionEnd, selectionStart, value }) => ({
  value,
  start: selectionStart,
  end: selectionEnd
})

/** HTML that is pasted, at most: a text has 200,000 characters. */
const HTML_MAX = 5_000_000

/** What is read of HTML. The style is read under another name, because a browser would apply it, which the policy forbids. */
const SANITIZER = {
  attributes: ["alt", "href", "src", "start", "data-style"],
  removeElements: ["style", "svg", "math"],
  comments: false
}

/**
 * Reads HTML into a document of its own, which runs and loads nothing. Undefined in browsers that cannot do so safely: they
 * paste plain text.
 * @param {string} html
 * @returns {HTMLElement | undefined}
 */
const bodyOf = (html) => {
  const renamed = html.replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/\sstyle\s*=/gi, " data-style="))
  // TypeScript does not know these functions yet.
  const reader = /** @type {{ parseHTML?: (html: string, options: object) => Document }} */ (
    /** @type {unknown} */ (Document)
  )
  if (reader.parseHTML) return reader.parseHTML(renamed, { sanitizer: SANITIZER }).body
  const { body } = document.implementation.createHTMLDocument("")
  if (!("setHTML" in body)) return undefined
  const set = /** @type {{ setHTML: (html: string, options: object) => void }} */ (
    /** @type {unknown} */ (body)
  )
  set.setHTML(renamed, { sanitizer: SANITIZER })
  return body
}

/** Returns what a paste writes, where it is more than plain text. @param {DataTransfer} data @param {import("./tools.js").Field} field */
const pastedEdit = (data, field) => {
  const { end, start, value } = field
  const text = data.getData("text/plain").trim()
  const html = data.getData("text/html")
  const names = [...data.files].map(({ name }) => name)
  if (inCode(field) || areFiles(text, names)) return undefined
  // An address over words is their link. One address replaces another.
  const words = value.slice(start, end).trim()
  if (/^(?:https?:\/\/|mailto:)\S+$/i.test(text) && words !== "" && !/^\w+:\S+$/.test(words))
    return linkTo(field, text.replaceAll("(", "%28").replaceAll(")", "%29").replaceAll("\\", "%5C"))
  if (html === "" || html.length > HTML_MAX || data.types.includes("vscode-editor-data")) return undefined
  const body = bodyOf(html)
  const markdown = body === undefined ? undefined : markdownOf(body)
  if (markdown === undefined) return undefined
  // Blocks stand between blank lines.
  const isBlock = markdown.includes("\n\n") || /^(?:#|- |\d+\. |> |\||```|---|!\[)/.test(markdown)
  const [before, after] = [value.slice(0, start), value.slice(end)]
  const lead = !isBlock || before === "" ? "" : "\n".repeat(2 - (/\n{0,2}$/.exec(before)?.[0].length ?? 0))
  const tail = !isBlock || after === "" ? "" : "\n".repeat(2 - (/^\n{0,2}/.exec(after)?.[0].length ?? 0))
  const insert = lead + markdown + tail
  return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length }
}

const texts = ["free", "paid"].flatMap((id) => {
  const text = document.getElementById(id)
  return text instanceof HTMLTextAreaElement ? [text] : []
})
const toolbar = document.getElementById("tools")
const tools = [...(toolbar?.querySelectorAll("button") ?? [])]

/** The text that has the caret, or had it last. */
let current = texts[0]

/** Returns the text that has the caret, or had it last; undefined where Markdown says none. */
export const currentText = () => current

/**
 * The last use of a tool, until something else happens. The same tool then takes it back, whatever it did.
 * @type {{ tool: string, text: HTMLTextAreaElement, after: string, back: import("./tools.js").Edit } | undefined}
 */
let last

/** @param {string} tool */
const press = (tool) => {
  const text = current
  if (text === undefined) return
  const field = fieldOf(text)
  const edit =
    last?.tool === tool && last.text === text && last.after === JSON.stringify(field)
      ? last.back
      : use(/** @type {import("./tools.js").Tool} */ (tool), field)
  if (edit === undefined) return text.focus()
  const isBack = edit === last?.back
  type(text, edit)
  last =
    isBack || (edit.insert === "" && edit.from === edit.to)
      ? undefined
      : { tool, text, after: JSON.stringify(fieldOf(text)), back: inverse(field, edit) }
}

/** Tools that other scripts carry out. */
const ELSEWHERE = new Set(["picture", "wall"])

if (toolbar && texts.length > 0) {
  const more = document.getElementById("more")
  const folded = tools.slice(tools.findIndex((it) => it === more) + 1)

  /** @param {boolean} isFolded */
  const fold = (isFolded) => {
    for (const tool of folded) tool.hidden = isFolded
    more?.setAttribute("aria-expanded", String(!isFolded))
  }
  fold(true)
  more?.addEventListener("click", () => fold(more.getAttribute("aria-expanded") === "true"))
  toolbar.hidden = false
  // The caret stays in the text, and with it the keyboard of a phone.
  toolbar.addEventListener("mousedown", (event) => event.preventDefault())
}

// One stop of the tabulator leads to the tools, and arrows lead on.
for (const [index, button] of tools.entries()) {
  const { tool = "" } = button.dataset
  button.tabIndex = index === 0 ? 0 : -1
  if (tool !== "" && !ELSEWHERE.has(tool)) button.addEventListener("click", () => press(tool))
  button.addEventListener("keydown", (event) => {
    const visible = tools.filter((it) => !it.hidden)
    const at = visible.indexOf(button)
    const places = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1 + visible.length,
      Home: 0,
      End: visible.length - 1
    }
    const place = /** @type {Readonly<Record<string, number>>} */ (places)[event.key]
    const next = place === undefined ? undefined : visible[place % visible.length]
    if (next === undefined) return
    event.preventDefault()
    for (const other of tools) other.tabIndex = other === next ? 0 : -1
    next.focus()
  })
}

for (const text of texts) {
  text.addEventListener("focus", () => (current = text))

  text.addEventListener("keydown", (event) => {
    const { altKey, ctrlKey, metaKey, shiftKey } = event
    // Return also ends the composition of a word, which some browsers tell only by this code.
    const isComposing = event.isComposing || event.keyCode === 229
    if (event.key === "Enter" && !isComposing && !(altKey || ctrlKey || metaKey || shiftKey)) {
      const edit = newLine(fieldOf(text))
      if (edit === undefined) return
      event.preventDefault()
      return type(text, edit)
    }
    if (!(ctrlKey || metaKey) || altKey || shiftKey) return
    const letter = letterOf(event)
    const button = tools.find((it) => it.dataset["key"] === letter)
    if (button === undefined) return
    event.preventDefault()
    current = text
    press(button.dataset["tool"] ?? "")
  })

  text.addEventListener("paste", (event) => {
    const edit = event.clipboardData ? pastedEdit(event.clipboardData, fieldOf(text)) : undefined
    if (edit === undefined) return
    event.preventDefault()
    type(text, edit)
  })
}

/**
 * Returns where a line and a column are in a text, both counted from 1. A tab ends at the next column after a multiple of four.
 * @param {string} text
 * @param {number} line
 * @param {number} column
 */
const offsetOf = (text, line, column) => {
  let at = 0
  for (let now = 1; now < line && text.includes("\n", at); now++) at = text.indexOf("\n", at) + 1
  for (let now = 1; now < column && at < text.length && text[at] !== "\n"; at++)
    now = text[at] === "\t" ? now - ((now - 1) % 4) + 4 : now + 1
  return at
}

/** Puts the caret where Markdown was refused, and selects the word there. */
for (const link of document.querySelectorAll("a[data-line]"))
  link.addEventListener("click", (event) => {
    const text = document.getElementById(link.getAttribute("href")?.slice(1) ?? "")
    if (!(link instanceof HTMLElement) || !(text instanceof HTMLTextAreaElement)) return
    event.preventDefault()
    const at = offsetOf(text.value, Number(link.dataset["line"]), Number(link.dataset["column"]))
    text.setSelectionRange(at, at + (/^\S+/.exec(text.value.slice(at))?.[0].length ?? 0))
    // Browsers scroll to the selection of a field that gets the focus.
    text.focus()
  })
