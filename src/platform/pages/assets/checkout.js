// @ts-check
// Waits for a payment. Without this script, the page is reloaded.

/** @param {number} millis */
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

/**
 * Waits for the payment of a checkout, and goes on when it has come.
 * @param {HTMLElement} checkout
 */
const watch = async (checkout) => {
  for (const it of checkout.querySelectorAll("[data-unscripted]")) it.remove()
  const line = document.getElementById("state")
  const steps = checkout.querySelectorAll(".steps li")
  for (let wait = 1; ; wait = Math.min(wait * 1.5, 10)) {
    try {
      const answer = await fetch(`${checkout.dataset["status"]}?state=${checkout.dataset["state"]}`)
      const { next, state, text } = await answer.json()
      if (next) return location.replace(next)
      if (answer.ok && state !== checkout.dataset["state"]) {
        checkout.dataset["state"] = state
        if (line) line.textContent = text
        steps.forEach((step, at) =>
          step.setAttribute("aria-current", at === (state === "seen" ? 1 : 0) ? "step" : "false")
        )
        wait = 1
      }
    } catch {
      // The network is unavailable, so the page stays as it is.
    }
    await pause(wait * (document.hidden ? 3000 : 1000))
  }
}

/**
 * Says in how many minutes a payment expires, instead of a time of day.
 * @param {HTMLTimeElement} time
 */
const countDown = (time) => {
  const millis = Date.parse(time.dateTime) - Date.now()
  // The clock of this device may be wrong.
  if (!(millis > 0 && millis < 3_600_000)) return
  const minutes = Math.ceil(millis / 60_000)
  time.textContent = minutes === 1 ? "in less than a minute" : `in ${minutes} minutes`
  setTimeout(() => countDown(time), millis - (minutes - 1) * 60_000 + 100)
}

for (const it of document.querySelectorAll("time[data-left]"))
  if (it instanceof HTMLTimeElement) countDown(it)

/** Opens the other ways to pay if no wallet does: the page is then still in front after a moment. */
const ways = document.querySelectorAll(".scan details")
document.querySelector('.scan a[href^="nano:"]')?.addEventListener("click", () => {
  let isLeft = false
  const leave = () => (isLeft = true)
  document.addEventListener("visibilitychange", leave, { once: true })
  setTimeout(() => {
    document.removeEventListener("visibilitychange", leave)
    if (isLeft || document.hidden || ways[0]?.hasAttribute("open")) return
    for (const it of ways) it.setAttribute("open", "")
    ways[0]?.querySelector("summary")?.focus()
  }, 1500)
})

const checkout = document.querySelector('[data-status^="/"]')
if (checkout instanceof HTMLElement) void watch(checkout)
