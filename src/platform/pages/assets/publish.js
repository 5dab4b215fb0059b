// @ts-check
// Says on the button that publishes what it does, and asks before the page is left with decisions that are not saved.
// Without this script, the button says what was saved last.

const form = document.querySelector("form.writing")
const button = document.querySelector("[data-publish]")
const price = document.getElementById("price")

/** @param {HTMLFormElement} form */
const textOf = (form) => JSON.stringify([...new FormData(form)])

if (form instanceof HTMLFormElement) {
  // A refused form was not saved.
  const saved = form.dataset["unsaved"] ? "" : textOf(form)
  let isSent = false
  form.addEventListener("submit", () => {
    isSent = true
  })
  // The author came back, or the answer did not come.
  for (const name of ["pageshow", "input"])
    addEventListener(name, () => {
      isSent = false
    })
  addEventListener("beforeunload", (event) => {
    if (!isSent && textOf(form) !== saved) event.preventDefault()
  })
}

form?.addEventListener("input", () => {
  if (button === null) return
  const isSold = document.querySelector("[name=sell]:checked")?.getAttribute("value") === "1"
  const sum = price instanceof HTMLInputElement ? price.value.trim() : ""
  button.textContent = !isSold
    ? "Publish, free for everyone"
    : sum === ""
      ? "Publish"
      : `Publish for ${sum} XNO`
})
