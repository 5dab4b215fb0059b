// @ts-check
// Saves what an author writes. Without this script, only its buttons save it.

const AUTOSAVE_MILLIS = 10_000
const KEEP_MILLIS = 1000

/** Reasons of answers that are no JSON, by their status. */
const REASONS = /** @type {Record<number, string>} */ ({
  403: "your account is restricted. Copy what you wrote before you leave.",
  404: "this post was deleted, or belongs to another account. Copy what you wrote before you leave.",
  413: "that is too much text. Send less of it."
})

/**
 * A request that saves. `written` is the form as a browser sends it, without the members that change with each request.
 * @typedef {{ path: string, written: string, key: string, revision: string }} Sent
 */

/**
 * A text that was not saved, as this tab keeps it, and the request whose answer is not known.
 * @typedef {Sent & { unanswered?: Sent }} Copy
 */

/** @param {HTMLFormElement} form */
const writtenIn = (form) => {
  const all = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === "string" && name !== "key" && name !== "revision") all.append(name, value)
  return all.toString()
}

/**
 * Saves a draft by itself, and says what is not saved. A published post waits for its author, because its readers would see half
 * a sentence.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} line
 */
const watch = (form, line) => {
  const savesItself = form.dataset["saves"] === "itself"
  const revision = /** @type {HTMLInputElement} */ (form.elements.namedItem("revision"))
  const key = /** @type {HTMLInputElement} */ (form.elements.namedItem("key"))

  // Otherwise the browser would fill in a text of its own after a reload, beside the one that is offered here.
  form.autocomplete = "off"

  /** The form as the server sent it, even if the browser filled in something else. */
  const original = /** @type {HTMLFormElement} */ (form.cloneNode(true))
  original.reset()

  /** The text that the server has; undefined if it refused this one. */
  let saved = form.dataset["saved"] === "yes" ? writtenIn(original) : undefined
  /** The request whose answer is not known. It is sent again as it was, before anything newer. */
  let unanswered = /** @type {Sent | undefined} */ (undefined)
  /** True after an answer that leaves the next step to the author. */
  let isOver = !savesItself
  /** False after an answer whose page has no place for the text. */
  let canShowWhy = true
  let isTyped = false
  let isLeaving = false
  let isOffered = false
  let timer = 0
  let keeping = 0

  const isUnsaved = () => unanswered !== undefined || writtenIn(form) !== saved

  /**
   * Says the state in the line under the title. Only what an author has to know is read aloud.
   * @param {string} said
   * @param {{ path: string, name: string } | null} [link]
   */
  const say = (said, link) => {
    line.setAttribute("aria-live", /^(Saved|Not saved yet|$)/.test(said) ? "off" : "polite")
    line.textContent = said
    if (!link) return
    const to = document.createElement("a")
    to.href = link.path
    to.target = "_blank"
    to.rel = "noopener"
    to.textContent = link.name
    line.append(" ", to, ".")
  }

  /** The text that was not saved, under the address of its post, for a reload of this tab. */
  const place = () => `pennypress:${location.pathname}`

  const keep = () => {
    if (isOffered) return
    try {
      if (!isUnsaved()) return sessionStorage.removeItem(place())
      sessionStorage.setItem(place(), JSON.stringify({ ...current(), unanswered }))
    } catch {
      // The browser keeps nothing, or not so much.
    }
  }

  /** Takes the names of the fields that are not saved, for a post that waits for its author. */
  const unsavedNames = () => {
    const [before, now] = [new URLSearchParams(saved), new URLSearchParams(writtenIn(form))]
    const names = new Set([...before.keys(), ...now.keys()].filter((it) => before.get(it) !== now.get(it)))
    return [...names].map((name) => {
      const control = form.querySelector(`[name="${CSS.escape(name)}"]`)
      const label = control?.closest(".field")?.querySelector("label, strong")
      return label?.textContent?.trim() ?? name
    })
  }

  /** @returns {Sent} */
  const current = () => ({
    path: form.action,
    written: writtenIn(form),
    key: key.value,
    revision: revision.value
  })

  const wait = () => {
    if (isOver || timer) return
    timer = setTimeout(() => enqueue(save), AUTOSAVE_MILLIS)
  }

  /** Says that a request brought no answer, and sends it again later. @param {string} reason */
  const retry = (reason) => {
    say(`Not saved: ${reason}. ${isOver ? "Press the button again" : "Trying again"}`)
    wait()
    return null
  }

  /**
   * Sends one request. Returns where the author may go on, or null if the text was not saved.
   * @param {Sent} sent
   * @param {string} [next]
   */
  const exchange = async (sent, next) => {
    unanswered = sent
    const body = new URLSearchParams(sent.written)
    body.set("key", sent.key)
    body.set("revision", sent.revision)
    if (next) body.set("next", next)
    let answer
    let told
    try {
      answer = await fetch(sent.path, { method: "POST", headers: { accept: "application/json" }, body })
      told = /json/.test(answer.headers.get("content-type") ?? "") ? await answer.json() : null
    } catch {
      return retry("no connection")
    }
    if (answer.status >= 500) return retry("the service does not answer")
    if (answer.status === 429 && told === null) return retry("too many requests")
    unanswered = undefined
    if (answer.ok && told) {
      saved = sent.written
      revision.value = told.revision
      if (form.getAttribute("action") !== told.path) {
        sessionStorage.removeItem(place())
        form.action = told.path
        history.replaceState(null, "", told.path)
      }
      const address = document.getElementById("address")
      if (address) address.textContent = (address.textContent ?? "").replace(/[^/]*$/, told.slug)
      say(`Saved ${new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`)
      keep()
      return String(told.next)
    }
    canShowWhy = told !== null
    isOver = isOver || told?.isOver === true
    if (told === null) say(`Not saved: ${REASONS[answer.status] ?? "reload the page and try again."}`)
    else say(/^(Changed|Nothing|You are)/.test(told.said) ? told.said : `Not saved: ${told.said}`, told.link)
    // With a session, a key or an hour later, the same text may be saved. A refused one waits for a change.
    if (told !== null && answer.status !== 422) wait()
    return null
  }

  /** A draft begins with the first words of its text. */
  const isBegun = () =>
    form.getAttribute("action") !== "/write" ||
    ["free", "paid"].some((name) => new FormData(form).get(name)?.toString().trim())

  const save = async () => {
    clearTimeout(timer)
    timer = 0
    if (isOver) return
    if (unanswered && (await exchange(unanswered)) === null) return
    if (!isUnsaved() || !isBegun()) return
    if ((await exchange(current())) !== null && isUnsaved()) wait()
  }

  /**
   * Saves at the press of a button, and goes on. The browser sends a form that is refused, and shows why. It also sends the form
   * of a button that does more than save it, such as one that adds a file.
   * @param {HTMLElement | null} button
   */
  const press = async (button) => {
    if (unanswered && (await exchange(unanswered)) === null && unanswered) return
    if (!/^(next)?$/.test(button?.getAttribute("name") ?? "")) {
      isLeaving = true
      return form.requestSubmit(button)
    }
    const next = await exchange(current(), button?.getAttribute("value") ?? undefined)
    if (next === null && (unanswered || !canShowWhy)) return
    isLeaving = true
    if (next === null) form.requestSubmit(button)
    else location.assign(next)
  }

  /** Saves follow each other, so that each has the revision of the one before. */
  let last = Promise.resolve()
  /** @param {() => Promise<unknown>} step */
  const enqueue = (step) => void (last = last.then(step).then(() => {}, reportError))

  form.addEventListener("submit", (event) => {
    if (isLeaving) return
    event.preventDefault()
    const { submitter } = event
    enqueue(() => (isLeaving ? Promise.resolve() : press(submitter)))
  })

  form.addEventListener("input", () => {
    isLeaving = false
    isTyped = true
    // A reason stays until the next answer.
    if (!/^Not saved:|^Changed/.test(line.textContent ?? "")) say("Not saved yet")
    wait()
    clearTimeout(keeping)
    keeping = setTimeout(() => {
      keep()
      if (!savesItself && saved !== undefined)
        say(isUnsaved() ? `Not saved yet: ${unsavedNames().join(", ")}` : "")
    }, KEEP_MILLIS)
  })
  form.addEventListener("focusout", () => {
    if (isTyped && !isOver) enqueue(save)
    isTyped = false
  })
  addEventListener("online", () => unanswered && enqueue(save))
  addEventListener("focus", () => timer && !isOver && enqueue(save))
  addEventListener("pagehide", keep)
  addEventListener("pageshow", () => (isLeaving = false))
  addEventListener("beforeunload", (event) => {
    if (!isLeaving && isUnsaved()) event.preventDefault()
  })

  /**
   * Fills the form with a text that was not saved. With an older revision, it is a conflict, which shows both.
   * @param {Copy} copy
   */
  const putBack = (copy) => {
    const written = new URLSearchParams(copy.written)
    for (const it of form.elements)
      if (it instanceof HTMLInputElement && /checkbox|radio/.test(it.type))
        it.checked = written.getAll(it.name).includes(it.value)
      else if (
        it instanceof HTMLInputElement ||
        it instanceof HTMLTextAreaElement ||
        it instanceof HTMLSelectElement
      )
        it.value = written.get(it.name) ?? it.value
    key.value = copy.key
    revision.value = copy.revision
    unanswered = copy.unanswered
    form.dispatchEvent(new Event("input"))
  }

  /**
   * Offers a text of this tab that was not saved. It takes the place of no other one before the author says so.
   * @param {HTMLElement} box
   * @param {Copy} copy
   */
  const offer = (box, copy) => {
    const written = new URLSearchParams(copy.written)
    if (copy.written === writtenIn(form) || written.get("author") !== new FormData(form).get("author"))
      return sessionStorage.removeItem(place())
    isOffered = true
    const sentence = box.querySelector("p")
    if (sentence)
      sentence.textContent =
        copy.revision === revision.value
          ? "What you wrote here last was not saved."
          : "What you wrote here last was not saved, and the post was changed since."
    box.hidden = false
    box.addEventListener("click", ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return
      box.hidden = true
      isOffered = false
      if (target.value === "back") putBack(copy)
      else sessionStorage.removeItem(place())
      document.getElementById("title")?.focus()
    })
  }

  try {
    const box = document.getElementById("kept")
    const copy = sessionStorage.getItem(place())
    if (box && copy) offer(box, JSON.parse(copy))
  } catch {
    // The browser keeps nothing.
  }
  if (saved === undefined) wait()
}

const form = document.getElementById("post")
const line = document.getElementById("saving")
if (form instanceof HTMLFormElement && line) watch(form, line)
