// @ts-check
// Says on the button that publishes what it does, asks before the page is left with decisions that are not saved, and shows
// moments in the zone of the browser. Without this script, the button says what was saved last, and moments are in UTC.

const form = document.querySelector("form.writing")
const button = document.querySelector("[data-publish]")
const price = document.getElementById("price")

const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
const zone = document.getElementById("zone")
const when = document.getElementById("when")

/** Returns a number in two digits. @param {number} number */
const two = (number) => String(number).padStart(2, "0")

/** Returns a moment in the zone of the browser, as a field takes it. @param {Date} at */
const localOf = (at) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`

/** Says a moment in the zone of the browser, as the service does in another. @param {Date} at */
const wordsOf = (at) => {
  const format = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "shortOffset"
  })
  /** @type {Record<string, string>} */
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const offset = (part["timeZoneName"] ?? "").replace("GMT", "UTC").replace(/\+0$/, "")
  const city = (own.split("/").at(-1) ?? own).replaceAll("_", " ")
  const place = city === offset ? city : `${city}, ${offset}`
  return `${part["weekday"]} ${part["day"]} ${part["month"]} ${part["year"]}, ${part["hour"]}:${part["minute"]} (${place})`
}

// The service does not know the zone of the browser.
if (zone instanceof HTMLSelectElement && zone.dataset["given"] === "" && own) {
  if (![...zone.options].some(({ value }) => value === own))
    zone.add(new Option(own.replaceAll("_", " "), own))
  // The choice of the form as it came, to which a reset leads back.
  for (const option of zone.options) option.defaultSelected = option.value === own
  zone.value = own
  const at = when?.dataset["at"]
  if (when instanceof HTMLInputElement && at) when.value = localOf(new Date(at))
  for (const said of document.querySelectorAll("[data-when]")) {
    const [, ahead = ""] = /\)(, in .*)$/.exec(said.textContent ?? "") ?? []
    said.textContent = wordsOf(new Date(said.getAttribute("data-when") ?? "")) + ahead
  }
}

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
