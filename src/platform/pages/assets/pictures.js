// @ts-check
// Takes the pictures that an author drops on a text, pastes into it or chooses below it, while the text stays as it is.
// Without this script, the buttons send the form of the text.

/** @param {number} millis */
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

/** The longest wait for a draft to save itself. */
const SAVING_MILLIS = 15_000

/**
 * The answer to a picture: its address and Markdown, or the reason in `said`.
 * @typedef {{ url?: string, markdown?: string, words?: string, path?: string, revision?: string, said?: string }} Answer
 */

/** Makes a line that is read aloud. @param {Element} before */
const lineAfter = (before) => {
  const line = document.createElement("p")
  line.className = "hint"
  line.setAttribute("role", "status")
  before.after(line)
  return line
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement} section
 */
const takePictures = (form, section) => {
  const list = section.querySelector("ul")
  const revision = /** @type {HTMLInputElement} */ (form.elements.namedItem("revision"))
  const texts = ["free", "paid"].flatMap((name) => {
    const text = document.getElementById(name)
    return text instanceof HTMLTextAreaElement ? [text] : []
  })
  const isNew = () => form.getAttribute("action") === "/write"

  /**
   * Sends a form, and again after a lost connection. Its key makes the repeat the same.
   * @param {FormData} body
   * @returns {Promise<Answer>}
   */
  const send = async (body) => {
    const begun = body.get("revision")
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await fetch(form.action, {
          method: "POST",
          headers: { accept: "application/json" },
          // Only a form with a file is sent in parts.
          body: body.has("picture") ? body : new URLSearchParams(/** @type {any} */ (body))
        })
        if (!/json/.test(answer.headers.get("content-type") ?? ""))
          return { said: "That did not work. Save your text, reload the page, then try again." }
        /** @type {Answer} */
        const told = await answer.json()
        // A save in between has made a newer one.
        if (told.revision && revision.value === begun) revision.value = told.revision
        if (told.path && isNew()) {
          form.action = told.path
          history.replaceState(null, "", told.path)
        }
        return told
      } catch {
        if (attempt === 3) return { said: "That did not work: no connection. Try again later." }
        await pause(attempt * 1000)
      }
    }
  }

  /** Waits until a draft that has a text is saved. Its own script saves it when a field is left. */
  const saved = async () => {
    if (!isNew() || texts.every((text) => text.value.trim() === "")) return true
    form.dispatchEvent(new Event("focusout"))
    for (let waited = 0; isNew() && waited < SAVING_MILLIS; waited += 100) await pause(100)
    return !isNew()
  }

  /**
   * Sends a picture. A post without a text is saved with it.
   * @param {File} file
   * @param {string} place
   * @param {string} alt
   */
  const upload = async (file, place, alt) => {
    if (!(await saved())) return { said: "Save your text first, then add the picture." }
    const body = isNew() ? new FormData(form) : new FormData()
    if (!isNew()) {
      body.set("key", crypto.randomUUID())
      body.set("revision", revision.value)
      body.set("free", "")
      body.set("paid", "")
    }
    body.set("place", place)
    body.set("alt", alt)
    body.set("picture", file)
    return send(body)
  }

  /** Shows a picture in the list. @param {Answer} picture */
  const show = ({ url = "", words = "" }) => {
    const item = document.createElement("li")
    const image = document.createElement("img")
    const state = document.createElement("span")
    image.src = url
    image.alt = ""
    image.width = 96
    state.className = "size"
    state.textContent = words
    item.append(image, state)
    list?.prepend(item)
  }

  /**
   * Types a paragraph at a place of a text, so that the browser can undo it. A caret that is elsewhere stays there. Returns the
   * text up to the end of the paragraph, and the place of its second character if the caret was here.
   * @param {HTMLTextAreaElement} text
   * @param {string} before
   * @param {string} paragraph
   */
  const type = (text, before, paragraph) => {
    const { selectionEnd, selectionStart, value } = text
    const active = document.activeElement
    const at = value.startsWith(before) ? before.length : selectionEnd
    const head = value.slice(0, at)
    const lead = head === "" || head.endsWith("\n\n") ? "" : head.endsWith("\n") ? "\n" : "\n\n"
    const typed = `${lead}${paragraph}${value[at] === "\n" || at === value.length ? "\n" : "\n\n"}`
    text.focus({ preventScroll: true })
    text.setSelectionRange(at, at)
    document.execCommand("insertText", false, typed)
    const isHere = active === text && selectionStart === at && selectionEnd === at
    if (!isHere) {
      /** @param {number} place */
      const moved = (place) => (place < at ? place : place + typed.length)
      text.setSelectionRange(moved(selectionStart), moved(selectionEnd))
      if (active instanceof HTMLElement) active.focus({ preventScroll: true })
    }
    return { before: head + typed, inside: isHere ? at + lead.length + 2 : undefined }
  }

  /** Pictures follow each other. @type {Promise<unknown>} */
  let last = Promise.resolve()
  /** @param {() => Promise<unknown>} step */
  const enqueue = (step) => void (last = last.then(step).catch(reportError))

  for (const text of texts) {
    const line = lineAfter(text)

    /** @param {ReadonlyArray<File>} files */
    const add = async (files) => {
      let before = text.value.slice(0, text.selectionEnd)
      let added = 0
      /** @type {number | undefined} */
      let description
      const refused = []
      for (const [index, file] of files.entries()) {
        line.textContent =
          files.length === 1 ? "Adding the picture…" : `Adding picture ${index + 1} of ${files.length}…`
        const told = await upload(file, text.id, "")
        if (!told.markdown) {
          refused.push(told.said ?? "The picture cannot be shown yet.")
          continue
        }
        show(told)
        const typed = type(text, before, told.markdown)
        before = typed.before
        if (added++ === 0) description = typed.inside
      }
      if (description !== undefined && text.selectionEnd === before.length)
        text.setSelectionRange(description, description)
      const said = added === 1 ? "Picture added." : `${added} pictures added.`
      const advice = "Type a description between the brackets, for readers who cannot see it."
      line.textContent = [...refused, ...(added > 0 ? [said, advice] : [])].join(" ")
    }

    /** @param {FileList} all */
    const take = (all) => {
      const files = [...all].filter((file) => file.type.startsWith("image/"))
      if (files.length === 0) line.textContent = "Only pictures can go into the text."
      else enqueue(() => add(files))
    }

    text.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault()
    })
    text.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return
      event.preventDefault()
      text.focus()
      take(event.dataTransfer.files)
    })
    text.addEventListener("paste", (event) => {
      const copied = event.clipboardData
      // Programs copy a text also as a picture of it. Then the text is meant.
      if (!copied || copied.files.length === 0 || copied.types.includes("text/plain")) return
      event.preventDefault()
      take(copied.files)
    })
  }

  const input = /** @type {HTMLInputElement} */ (section.querySelector("#picture"))
  const alt = /** @type {HTMLInputElement} */ (section.querySelector("#alt"))
  const line = lineAfter(input)
  const card = form.elements.namedItem("cardImage")

  /** Adds the picture that was chosen, with its description, at the end of a text. */
  const insert = async () => {
    const file = input.files?.[0]
    const chosen = section.querySelector("[name=place]:checked")
    const place = chosen instanceof HTMLInputElement ? chosen.value : "free"
    if (!file) return void (line.textContent = "Choose a picture first.")
    line.textContent = "Adding the picture…"
    const told = await upload(file, place, alt.value)
    const text = texts.find(({ id }) => id === place)
    line.textContent = told.said ?? told.words ?? ""
    if (!told.url) return
    show(told)
    if (text && told.markdown) type(text, text.value, told.markdown)
    else if (card instanceof HTMLInputElement) card.value = told.url
    input.value = ""
    alt.value = ""
    line.textContent = text ? "The picture is at the end of the text." : "The picture is on the preview card."
  }

  /** Removes a picture from the post and from the texts. @param {HTMLButtonElement} button */
  const remove = async (button) => {
    const id = button.value
    const body = new FormData()
    body.set("key", crypto.randomUUID())
    body.set("revision", revision.value)
    body.set("remove", id)
    const told = await send(body)
    if (told.said) return void (line.textContent = told.said)
    for (const text of texts)
      for (;;) {
        const [image] =
          new RegExp(`!\\[(?:[^[\\]\\\\]|\\\\.)*\\]\\([^()]*${id}[^()]*\\)\\n?`).exec(text.value) ?? []
        if (!image) break
        const at = text.value.indexOf(image)
        text.focus({ preventScroll: true })
        text.setSelectionRange(at, at + image.length)
        if (!document.execCommand("delete")) break
      }
    if (card instanceof HTMLInputElement && card.value.includes(id)) card.value = ""
    button.closest("li")?.remove()
    line.textContent = "The picture is removed."
    input.focus()
  }

  // The controls leave the form, whose own script saves only the text.
  for (const control of section.querySelectorAll("[form]")) {
    control.removeAttribute("form")
    if (!(control instanceof HTMLButtonElement)) continue
    control.type = "button"
    control.addEventListener("click", () => enqueue(() => (control.value ? remove(control) : insert())))
  }
}

const form = document.getElementById("post")
const section = document.getElementById("pictures")?.closest("section")
if (form instanceof HTMLFormElement && section) takePictures(form, section)
