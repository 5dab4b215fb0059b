// @ts-check
// Saves what an author writes, with its pictures. Without this script, only its buttons save it. `editing.js` decides what
// happens when.

import { makeCopies } from "./copies.js"
import { losesSomething, stateOf, step } from "./editing.js"
import { bodyOf, makePictures } from "./pictures.js"
import { nameRest } from "./sheet.js"
import { letterOf } from "./tools.js"

/** @typedef {import("./editing.js").Effect} Effect */

/** Reasons of requests that brought no answer. @type {Readonly<Record<string, string>>} */
const UNANSWERED = {
  offline: "no connection",
  failing: "the service isn't responding",
  busy: "too many requests"
}

/** Reasons that no answer says. @type {Readonly<Record<string, string>>} */
const REASONS = {
  waiting: "waiting for the picture.",
  picture: "a picture was not added. Read why, then press the button again.",
  restricted: "your account is restricted. Copy what you wrote before you leave.",
  gone: "this post was deleted, or belongs to another account. Copy what you wrote before you leave.",
  long: "that's too much text. Shorten it.",
  unreadable: "reload the page and try again."
}

/** Outcomes whose sentences already say that the text is not saved. */
const WHOLE = new Set(["conflict", "session", "account", "key"])

/** Outcomes that are not read aloud: an author does not have to know them. */
const QUIET = new Set(["none", "saved", "unsaved"])

/** @param {HTMLFormElement} form */
const textOf = (form) => {
  const all = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === "string" && name !== "key" && name !== "revision") all.append(name, value)
  return all.toString()
}

/** Returns the label of a field. @param {HTMLFormElement} form @param {string} name */
const labelOf = (form, name) => {
  const control = form.querySelector(`[name="${CSS.escape(name)}"]`)
  return control?.closest(".field")?.querySelector("label, strong")?.textContent?.trim() ?? name
}

/** Fills a form with another text. @param {HTMLFormElement} form @param {string} text */
const fill = (form, text) => {
  const fields = new URLSearchParams(text)
  for (const it of form.elements)
    if (it instanceof HTMLInputElement && /checkbox|radio/.test(it.type))
      it.checked = fields.getAll(it.name).includes(it.value)
    else if (
      it instanceof HTMLInputElement ||
      it instanceof HTMLTextAreaElement ||
      it instanceof HTMLSelectElement
    )
      it.value = fields.get(it.name) ?? it.value
}

/** Returns a moment as people say it. @param {number} at */
const momentOf = (at) =>
  new Date(at).toLocaleString("en-GB", { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" })

/** Returns the sentence for an outcome. @param {HTMLFormElement} form @param {Extract<Effect, { type: "say" }>} effect */
const sentenceOf = (form, { fields, isRepeated, outcome, said }) => {
  if (outcome === "none") return ""
  if (outcome === "saved")
    return `Saved ${new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`
  if (outcome === "unsaved") {
    const names = fields.map((name) => labelOf(form, name)).join(", ")
    return names === "" ? "Not saved yet" : `Not saved yet: ${names}`
  }
  if (outcome === "kept")
    return form.elements.namedItem("scheduled") === null
      ? "Kept on this device. Readers see it when you press Save changes"
      : "Kept on this device. It's saved when you press Save draft"
  if (WHOLE.has(outcome)) return said
  const reason = UNANSWERED[outcome]
  if (reason === undefined) return `Not saved: ${REASONS[outcome] ?? said}`
  return `Not saved: ${reason}. ${isRepeated ? "Trying again" : "Press the button again"}`
}

/** Returns the storage of this device and that of this tab, as far as the browser has them. */
const places = () => {
  const found = []
  for (const name of /** @type {const} */ (["localStorage", "sessionStorage"]))
    try {
      found.push(window[name])
    } catch {
      // The browser keeps nothing.
    }
  return found
}

/**
 * Connects the form of a post with the machine that saves it.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} line
 * @param {HTMLElement} offer
 * @param {HTMLElement} section
 */
const edit = (form, line, offer, section) => {
  const revision = /** @type {HTMLInputElement} */ (form.elements.namedItem("revision"))
  const key = /** @type {HTMLInputElement} */ (form.elements.namedItem("key"))

  // Otherwise the browser would fill in a text of its own after a reload, beside the one that is offered here.
  form.autocomplete = "off"

  /** The form as the server sent it, even if the browser filled in something else. */
  const original = /** @type {HTMLFormElement} */ (form.cloneNode(true))
  original.reset()

  let state = stateOf({
    path: form.getAttribute("action") ?? "",
    key: key.value,
    revision: revision.value,
    text: textOf(original),
    outcome: form.dataset["outcome"] ?? "",
    // A draft that becomes public by itself waits for its author, too.
    isPublished: ["published", "scheduled"].some((name) => form.elements.namedItem(name) !== null)
  })
  /** @type {Array<import("./editing.js").Event>} */
  const events = []
  let isBusy = false
  /** @type {Partial<Record<import("./editing.js").Timer, number>>} */
  const timers = {}

  /** Takes an event. Those that come from its effects follow it. @param {import("./editing.js").Event} event */
  const dispatch = (event) => {
    events.push(event)
    if (isBusy) return
    isBusy = true
    try {
      for (let next = events.shift(); next !== undefined; next = events.shift()) {
        const { effects, state: after } = step(state, next, next.type === "input" ? "" : textOf(form))
        state = after
        for (const effect of effects) attempt(effect)
      }
    } finally {
      isBusy = false
    }
  }

  /** Carries out an effect. One that fails stops no other. @param {Effect} effect */
  const attempt = (effect) => {
    try {
      carryOut(effect)
    } catch (error) {
      reportError(error)
    }
  }

  const author = /** @type {HTMLInputElement} */ (form.elements.namedItem("author")).value
  const copies = makeCopies({
    places: places(),
    author,
    owner: form.dataset["owner"] ?? "",
    path: () => location.pathname,
    now: () => Date.now(),
    random: () => Math.random().toString(36).slice(2)
  })
  const found = copies.find()

  const pictures = makePictures(form, section, dispatch)

  /** Sends a request, and takes its answer. @param {string} path @param {URLSearchParams | Promise<FormData | URLSearchParams>} body */
  const exchange = async (path, body) => {
    /** @type {import("./editing.js").Event} */
    let event = { type: "silence" }
    try {
      const answer = await fetch(path, {
        method: "POST",
        headers: { accept: "application/json" },
        body: await body
      })
      const isJson = /json/.test(answer.headers.get("content-type") ?? "")
      event = { type: "answer", status: answer.status, body: isJson ? await answer.json() : null }
    } catch {
      // No answer came.
    }
    dispatch(event)
  }

  /** Says the state in the bar. @param {Extract<Effect, { type: "say" }>} effect */
  const say = (effect) => {
    line.setAttribute("aria-live", QUIET.has(effect.outcome) ? "off" : "polite")
    line.dataset["outcome"] = effect.outcome
    line.textContent = sentenceOf(form, effect)
    if (effect.link === null) return
    const link = document.createElement("a")
    link.href = effect.link.path
    link.target = "_blank"
    link.rel = "noopener"
    link.textContent = effect.link.name
    line.append(" ", link, ".")
  }

  /** @param {Extract<Effect, { type: "send" }>} effect */
  const send = ({ next, save }) => {
    const body = new URLSearchParams(save.text)
    body.set("key", save.key)
    body.set("revision", save.revision)
    if (next !== null) body.set("next", next)
    void exchange(save.path, body)
  }

  /** @param {Effect} effect */
  const carryOut = (effect) => {
    switch (effect.type) {
      case "send":
        return send(effect)
      case "upload":
        return void exchange(effect.upload.path, bodyOf(effect.upload))
      case "start timer":
        clearTimeout(timers[effect.timer])
        timers[effect.timer] = setTimeout(
          () => dispatch({ type: "timeout", timer: effect.timer }),
          effect.millis
        )
        return
      case "stop timer":
        return clearTimeout(timers[effect.timer])
      case "say":
        return say(effect)
      case "keep copy":
        return copies.keep(effect.copy)
      case "forget copy":
        return copies.forget()
      case "offer copy": {
        const sentence = offer.querySelector("p")
        const kept = found === null ? "" : ` They are of ${momentOf(found.at)}.`
        if (sentence)
          sentence.textContent = effect.isChanged
            ? `Your latest changes weren't saved here, and the post has changed since then.${kept}`
            : `Your latest changes weren't saved here.${kept}`
        offer.hidden = false
        return
      }
      case "take offer":
        return copies.take(effect.copy)
      case "forget offer":
        return copies.refuse()
      case "close offer":
        offer.hidden = true
        return document.getElementById("title")?.focus()
      case "fill form":
        fill(form, effect.text)
        return nameRest()
      case "set version":
        key.value = effect.key
        revision.value = effect.revision
        return
      case "set path":
        form.action = effect.path
        return history.replaceState(null, "", effect.path)
      case "submit form":
        return form.requestSubmit(effect.button instanceof HTMLElement ? effect.button : null)
      case "go to":
        return location.assign(effect.path)
      default:
        return pictures(effect)
    }
  }

  form.addEventListener("submit", (event) => {
    if (state.isLeaving) return
    event.preventDefault()
    const { submitter } = event
    dispatch({ type: "press", button: submitter instanceof HTMLButtonElement ? submitter : null })
  })
  form.addEventListener("input", () => dispatch({ type: "input" }))
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || letterOf(event) !== "s") return
    event.preventDefault()
    dispatch({ type: "shortcut" })
  })
  form.addEventListener("focusout", () => dispatch({ type: "blur" }))
  addEventListener("online", () => dispatch({ type: "connection" }))
  addEventListener("focus", () => dispatch({ type: "focus" }))
  addEventListener("pagehide", () => dispatch({ type: "departure" }))
  addEventListener("pageshow", () => dispatch({ type: "return" }))
  addEventListener("beforeunload", (event) => {
    if (losesSomething(state, textOf(form))) event.preventDefault()
  })
  offer.addEventListener("click", ({ target }) => {
    if (target instanceof HTMLButtonElement)
      dispatch({ type: target.value === "back" ? "restoration" : "disposal" })
  })
  dispatch({ type: "start", copy: found?.copy ?? null })
}

const form = document.getElementById("post")
const line = document.getElementById("saving")
const offer = document.getElementById("kept")
const section = document.getElementById("pictures")?.closest("section")
if (form instanceof HTMLFormElement && line && offer && section) edit(form, line, offer, section)
