// @ts-check
// The comforts of the page on which an author writes. It works without them.

for (const toolbar of document.querySelectorAll("markdown-toolbar")) {
  if (!(toolbar instanceof HTMLElement)) continue
  const text = document.getElementById(toolbar.getAttribute("for") ?? "")
  if (!(text instanceof HTMLTextAreaElement)) continue
  toolbar.hidden = false

  /** Underlines what is selected, which the toolbar does not know. The browser can undo it. */
  toolbar.querySelector("[data-underline]")?.addEventListener("click", () => {
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
