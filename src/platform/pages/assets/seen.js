// @ts-check
// Marks as read what a page shows, once it is in front of a person. A page that a browser only prepares stays unread. Without
// this script, the button of the form does the same.

const form = document.querySelector("form[data-seen]")

const send = async () => {
  if (!(form instanceof HTMLFormElement) || document.visibilityState !== "visible") return
  document.removeEventListener("visibilitychange", send)
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)))
  try {
    // The answer leads to a page, which is not needed here.
    const { type } = await fetch(form.action, { method: "POST", body, redirect: "manual" })
    if (type === "opaqueredirect") form.hidden = true
  } catch {
    // The button stays.
  }
}

document.addEventListener("visibilitychange", send)
void send()
