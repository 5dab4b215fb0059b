// @ts-check
// Small comforts. Every page works without them.

/** Names the keys that lead to the search. */
document.addEventListener("keydown", (event) => {
  const target = event.target instanceof Element ? event.target : null
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return
  if (target?.closest("input, textarea, select, [contenteditable]")) return
  const field = document.querySelector('input[type="search"]')
  event.preventDefault()
  if (field instanceof HTMLInputElement) field.focus()
  else location.assign("/search")
})

/** Shows the buttons that copy a text, which are of no use without this script. */
for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!(button instanceof HTMLButtonElement) || !navigator.clipboard) continue
  const text = button.dataset["copy"] ?? ""
  const name = button.textContent
  button.hidden = false
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = "Copied"
    } catch {
      button.textContent = "Not copied"
    }
    const live = document.getElementById("live")
    if (live) live.textContent = button.textContent
    setTimeout(() => (button.textContent = name), 2000)
  })
}
