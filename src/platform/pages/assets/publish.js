// @ts-check
// Says on the button that publishes what it does. Without this script, it says what was saved last.

const button = document.querySelector("[data-publish]")
const price = document.getElementById("price")

button?.closest("form")?.addEventListener("input", () => {
  const isSold = document.querySelector("[name=sell]:checked")?.getAttribute("value") === "1"
  const sum = price instanceof HTMLInputElement ? price.value.trim() : ""
  button.textContent = !isSold
    ? "Publish, free for everyone"
    : sum === ""
      ? "Publish"
      : `Publish for ${sum} XNO`
})
