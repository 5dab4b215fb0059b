// @ts-check
// Sends a file in pieces, goes on after a lost connection, and looks how far an import is. Without this script, the browser
// sends the file as one form, and the reader looks again by a link.

const PIECE = 4 * 1024 * 1024
const SECONDS = [1, 2, 4, 8, 15]
const LOOK_SECONDS = 3

/** @param {number} seconds */
const after = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** @param {number} bytes */
const mib = (bytes) => (bytes / 1024 / 1024).toFixed(1)

/** @param {HTMLFormElement} form @param {File} file @param {(text: string) => void} say */
const send = async (form, file, say) => {
  let from = 0
  let failures = 0
  for (;;) {
    const body = new FormData(form)
    const piece = file.slice(from, from + PIECE)
    body.delete("file")
    body.set("size", String(file.size))
    body.set("from", String(from))
    body.set("length", String(piece.size))
    // The file is the last part.
    body.append("file", piece, file.name)
    say(`${mib(from)} of ${mib(file.size)} MiB sent.`)
    const answer = await fetch(form.action, {
      method: "POST",
      body,
      headers: { accept: "application/json" }
    }).catch(() => null)
    const told = answer === null || answer.status >= 500 ? null : await answer.json().catch(() => null)
    // The session has ended.
    if (answer?.status === 401) return location.reload()
    if (told?.wrong) return say(told.wrong)
    if (told?.next) return location.assign(told.next)
    if (typeof told?.received === "number") {
      from = told.received
      failures = 0
    } else {
      say("The connection was lost. We go on as soon as it is back.")
      await after(SECONDS[Math.min(failures, SECONDS.length - 1)] ?? 15)
      failures += 1
    }
  }
}

const form = document.querySelector("form[data-import]")
const said = document.getElementById("sending")

if (form instanceof HTMLFormElement && said !== null) {
  const button = form.querySelector("button")
  form.addEventListener("submit", (event) => {
    const input = form.querySelector("input[type=file]")
    const file = input instanceof HTMLInputElement ? input.files?.[0] : undefined
    if (file === undefined) return
    event.preventDefault()
    said.hidden = false
    if (button !== null) button.disabled = true
    void send(form, file, (text) => {
      said.textContent = text
    }).finally(() => {
      if (button !== null) button.disabled = false
    })
  })
}

/** @param {Element} progress */
const look = async (progress) => {
  await after(LOOK_SECONDS)
  const answer = await fetch(location.href, { headers: { accept: "application/json" } }).catch(() => null)
  if (answer === null || answer.status >= 500) return look(progress)
  // An answer of another kind asks for the sign-in.
  const now = await answer.json().catch(() => null)
  if (now?.state !== progress.getAttribute("data-state")) return location.reload()
  if (progress.textContent !== now.progress) progress.textContent = now.progress
  return look(progress)
}

const working = document.querySelector("[data-working]")
if (working !== null) void look(working)
