// @ts-check
// The sheet on which an author writes: how long the text is, and the wall within it.

import { currentText, type } from "./editor.js"
import { extentOf, movedByWall } from "./places.js"

/** The time without a key after which a long text is counted. */
const COUNT_MILLIS = 600

/** @param {string} id */
const inputOf = (id) => {
  const input = document.getElementById(id)
  return input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement ? input : undefined
}

const [free, paid, price, sell, title] = ["free", "paid", "price", "sell", "title"].map(inputOf)
const rest = document.querySelector("details.rest")

/** Opens the part below the wall. */
const openRest = () => {
  if (rest instanceof HTMLDetailsElement) rest.open = true
}

/** Says of the part below the wall whether it is sold, and for how much. Its hint follows the box by the stylesheet. */
export const nameRest = () => {
  const [label, terms] = [document.querySelector('label[for="paid"]'), document.getElementById("terms")]
  const isSold = sell instanceof HTMLInputElement && sell.checked
  if (label) label.textContent = isSold ? "The part that you sell" : "More of the post, free for everyone"
  const sum = price?.value.trim()
  const said = `Paid from here · ${sum ? `${sum} XNO` : "set a price"}`
  if (terms) terms.textContent = isSold ? said : "More, free for everyone"
  if (paid?.value) openRest()
}

/** Moves the wall to the caret: what stands after it is paid, and what stands before it is free. */
const moveWall = () => {
  const text = currentText()
  const other = text === free ? paid : free
  if (!(text instanceof HTMLTextAreaElement && other instanceof HTMLTextAreaElement)) return
  const isPaid = text === paid
  const moving = movedByWall(text.value, isPaid ? text.selectionStart : text.selectionEnd, isPaid)
  if (moving === undefined) return text.focus()
  const { moved, ...edit } = moving
  openRest()
  type(text, { ...edit, start: edit.from, end: edit.from })
  const [gap, at] = [other.value.trim() === "" ? "" : "\n\n", isPaid ? other.value.trimEnd().length : 0]
  const insert = isPaid ? gap + moved : moved + gap
  type(other, { from: at, to: isPaid ? other.value.length : at, insert, start: at, end: at })
  // The caret stands at the wall.
  if (isPaid) text.focus()
  else other.setSelectionRange(0, 0)
}

/** Keeps the bar in sight on phones, whose keyboard covers the lower end of the page. */
const followKeyboard = () => {
  const [bar, viewport] = [document.getElementById("bar"), window.visualViewport]
  if (!bar || !viewport) return
  const place = () => {
    const hidden = document.documentElement.clientHeight - viewport.offsetTop - viewport.height
    const isBelow = getComputedStyle(bar).position === "fixed"
    bar.style.translate = isBelow && hidden > 0 ? `0 ${-hidden}px` : ""
  }
  viewport.addEventListener("resize", place)
  viewport.addEventListener("scroll", place)
}

const extent = document.getElementById("extent")
if (extent) {
  /** @type {number | undefined} */
  let timer
  const count = () => {
    extent.textContent = extentOf(`${free?.value ?? ""}\n${paid?.value ?? ""}`)
  }
  count()
  for (const text of [free, paid])
    text?.addEventListener("input", () => {
      clearTimeout(timer)
      timer = setTimeout(count, COUNT_MILLIS)
    })
  for (const control of [price, sell]) control?.addEventListener("input", nameRest)
  document.querySelector("[data-tool=wall]")?.addEventListener("click", moveWall)
  // The part opens at once, so that a letter typed right after the click is in it.
  rest?.querySelector("summary")?.addEventListener("click", (event) => {
    if (!(rest instanceof HTMLDetailsElement)) return
    event.preventDefault()
    rest.open = !rest.open
    if (rest.open) paid?.focus()
  })
  // A title has one line.
  title?.addEventListener("keydown", (event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== "Enter" || event.isComposing) return
    event.preventDefault()
    free?.focus()
  })
  followKeyboard()
}
