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

/**
 * Returns the language of the words around an element. Not all of a page is in the language of its text.
 * @param {Element} it
 */
const languageOf = (it) => it.closest("[lang]")?.getAttribute("lang") ?? "en"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * Says how long ago something of the last week was, and leaves out the year if it is this one. The service names the whole day,
 * because the same page is kept for all readers, and for longer than an hour is true. A date with something after it stays, so
 * that nothing moves.
 */
const sayAgo = () => {
  for (const it of document.querySelectorAll(":is(.meta, .by) > time:last-child")) {
    if (!(it instanceof HTMLTimeElement)) continue
    const language = languageOf(it)
    const at = new Date(it.dateTime)
    const age = Date.now() - at.getTime()
    // The clock of this device may be behind.
    if (!(age >= 0)) continue
    it.title ||= it.textContent
    if (age < 7 * DAY) {
      const unit = age < HOUR ? "minute" : age < DAY ? "hour" : "day"
      const count = Math.floor(age / { minute: 60_000, hour: HOUR, day: DAY }[unit])
      it.textContent = new Intl.RelativeTimeFormat(language).format(-Math.max(count, 1), unit)
    } else if (at.getUTCFullYear() === new Date().getUTCFullYear())
      it.textContent = at.toLocaleDateString(language, { day: "numeric", month: "long", timeZone: "UTC" })
  }
}

try {
  sayAgo()
  setInterval(sayAgo, 60_000)
} catch {
  // This browser has no dates in the language of the page, so the whole day stays.
}

/**
 * Shows the buttons that copy a text, which are of no use without this script. Where the system shares addresses, it is
 * asked to share that of the page.
 */
for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!(button instanceof HTMLButtonElement)) continue
  const shares = "share" in button.dataset && "share" in navigator
  if (!shares && (!navigator.clipboard || "only" in button.dataset)) continue
  const text = button.dataset["copy"] ?? ""
  if (shares) button.textContent = button.dataset["share"] || "Share"
  const name = button.textContent
  button.hidden = false
  button.addEventListener("click", async () => {
    // A reader who closes the list of the system has nothing to be told.
    if (shares) return navigator.share({ title: document.title, url: text }).catch(() => {})
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = button.dataset["copied"] ?? "Copied"
    } catch {
      button.textContent = button.dataset["notCopied"] ?? "Not copied"
    }
    const live = document.getElementById("live")
    if (live) live.textContent = button.textContent
    setTimeout(() => (button.textContent = name), 2000)
  })
}

/**
 * Sends a form that sets a state in place: a reaction, a follow. The page of the form says what the answer cannot say
 * here.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} button
 */
const setInPlace = async (form, button) => {
  const live = document.getElementById("live")
  try {
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form, button)))
    const answer = await fetch(form.action, { method: "POST", headers: { accept: "application/json" }, body })
    // Only a page can say anything else. A reader who is not signed in signs in there, and the form is then sent again.
    if (!answer.ok || !/json/.test(answer.headers.get("content-type") ?? ""))
      return form.requestSubmit(button)
    const { counts, pressed } = await answer.json()
    for (const it of form.querySelectorAll("button")) {
      const state = it.dataset["state"] ?? ""
      it.value = state === pressed ? "none" : state
      it.setAttribute("aria-pressed", String(state === pressed))
      const count = it.querySelector("[data-count]")
      if (count && counts)
        count.textContent = counts[state] > 0 ? ` ${counts[state].toLocaleString(languageOf(form))}` : ""
    }
    for (const it of form.querySelectorAll("[data-when]"))
      it.toggleAttribute("hidden", (it.getAttribute("data-when") === "on") !== (pressed !== null))
    if (live) live.textContent = live.dataset["saved"] ?? "Saved"
  } catch {
    if (live)
      live.textContent = live.dataset["notSaved"] ?? "Not saved: you're offline. Press the button again."
  }
  delete form.dataset["sending"]
}

document.addEventListener("submit", (event) => {
  const { submitter, target: form } = event
  if (!(form instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return
  if (!("inPlace" in form.dataset) || "sending" in form.dataset) return
  event.preventDefault()
  form.dataset["sending"] = ""
  void setInPlace(form, submitter)
})

/** Opens a gift whose code stands in the address of its Post. Browsers do not send that part. */
if (location.hash.startsWith("#gift=")) location.replace(`/gift#${location.hash.slice(6)}`)

/**
 * Says which post a code opens, and who gives it. Nothing is said about a gift that opens nothing: the button tells why.
 * @param {string} token
 */
const nameGift = async (token) => {
  const place = document.querySelector("[data-gift]")
  if (!(place instanceof HTMLElement)) return
  try {
    const body = new URLSearchParams({ token })
    const answer = await fetch(place.dataset["gift"] ?? "", { method: "POST", body })
    const offer = answer.ok ? await answer.json() : null
    if (offer === null) return
    const [author, title] = [offer.author, offer.title].map((name) => {
      const isolated = document.createElement("bdi")
      isolated.textContent = name
      return isolated
    })
    place.replaceChildren(author ?? "", " gives you “", title ?? "", "”.")
  } catch {
    // The button says what is wrong with the connection.
  }
}

/**
 * Takes a secret out of the address and puts it into its field: the code of a gift, from where the button sends it, or the
 * receipt of a private link, which is sent here, because it opens the text as often as its reader wants.
 */
const code = document.querySelector("input[data-fragment]")
const secret = location.hash.slice(1)
const isReceipt = secret.startsWith("ppr_") && location.pathname.startsWith("/read/")
const isGift = secret !== "" && location.pathname === "/gift"
if (isReceipt || isGift) history.replaceState(null, "", location.pathname)
if (code instanceof HTMLInputElement && (isReceipt || isGift)) {
  code.value = secret
  if (isGift) void nameGift(secret)
  else if (code.form?.getAttribute("action") === location.pathname) code.form.requestSubmit()
}
