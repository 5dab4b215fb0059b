// @ts-check
// The toolbar of a text in Markdown, its keys, and the way to a place that was refused.

for (const toolbar of document.querySelectorAll("markdown-toolbar")) {
  const text = document.getElementById(toolbar.getAttribute("for") ?? "")
  if (!(toolbar instanceof HTMLElement) || !(text instanceof HTMLTextAreaElement)) continue
  toolbar.hidden = false

  /** Underlines what is selected, which the toolbar does not know. The browser can undo it. */
  toolbar.querySelector('[data-md-button="underline"]')?.addEventListener("click", () => {
    const { selectionEnd, selectionStart, value } = text
    text.focus()
    document.execCommand("insertText", false, `++${value.slice(selectionStart, selectionEnd)}++`)
    text.setSelectionRange(selectionStart + 2, selectionEnd + 2)
  })

  text.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    const button = toolbar.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`)
    if (!(button instanceof HTMLElement)) return
    event.preventDefault()
    button.click()
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
