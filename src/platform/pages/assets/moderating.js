// @ts-check
// Keys of moderators: J and K move through reports, and numbers press the buttons of a decision. Without this script, links
// and buttons do the same.

const OFF = "moderating-keys-off"
const note = document.querySelector("[data-keys]")
const choice = note?.querySelector("input")
const items = [...document.querySelectorAll("[data-item]")]

/**
 * The button whose number was pressed last. It may wait for a reason.
 * @type {HTMLElement | null}
 */
let chosen = null

/**
 * Goes through the items of a list.
 * @param {number} by
 */
const step = (by) => {
  const at = items.findIndex((it) => it === document.activeElement)
  const item = items[at === -1 ? 0 : at + by]
  if (item instanceof HTMLElement) item.focus()
}

/** @param {KeyboardEvent} event */
const press = (event) => {
  const { altKey, ctrlKey, key, metaKey, target } = event
  const isField = target instanceof Element && target.matches("input:not([type=checkbox]), textarea, select")
  const isSent = key === "Enter" && (ctrlKey || metaKey) && target instanceof HTMLTextAreaElement
  if (!isSent && (isField || altKey || ctrlKey || metaKey || event.repeat)) return
  const wanted = isSent ? chosen : document.querySelector(`[data-key="${CSS.escape(key.toLowerCase())}"]`)
  if (wanted instanceof HTMLElement) {
    event.preventDefault()
    if (wanted instanceof HTMLButtonElement) chosen = wanted
    wanted.click()
  } else if (key === "j") step(1)
  else if (key === "k") step(-1)
}

if (note instanceof HTMLElement && choice instanceof HTMLInputElement) {
  const set = () =>
    choice.checked ? addEventListener("keydown", press) : removeEventListener("keydown", press)
  try {
    choice.checked = localStorage.getItem(OFF) === null
  } catch {
    // A browser without storage has the keys on.
  }
  set()
  note.hidden = false
  choice.addEventListener("change", () => {
    set()
    try {
      if (choice.checked) localStorage.removeItem(OFF)
      else localStorage.setItem(OFF, "1")
    } catch {
      // The choice is for this page alone.
    }
  })
}
