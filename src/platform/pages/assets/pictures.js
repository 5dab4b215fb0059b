// @ts-check
// Takes the pictures that an author drops on a text, pastes into it or chooses below it, while the text stays as it is.
// Without this script, the buttons send the form of the text.

import { currentText, type as write } from "./editor.js"
import { areFiles } from "./pasting.js"
import { described as describedEdits, imageOf, movedPlace, outside, scaledSize } from "./places.js"

/**
 * @typedef {import("./editing.js").Effect} Effect
 * @typedef {import("./editing.js").Task} Task
 */

/**
 * The line that tells of a task, and the place of its pictures. `at` is where the next picture goes that was dropped or pasted,
 * and `description` the place between the brackets of the first one.
 * @typedef {{
 *   line: HTMLElement, text: HTMLTextAreaElement | undefined, file: File | undefined, button: HTMLElement | undefined,
 *   at: number | undefined, description: number | undefined
 * }} Place
 */

/** Reasons of answers that say nothing themselves. @type {Readonly<Record<string, string>>} */
const REASONS = {
  offline: "That didn't work: no connection. Try again later.",
  unsaved: "Save your text first, then add the picture.",
  unreadable: "That didn't work. Save your text, reload the page, then try again."
}

const ADVICE = "Type a description between the brackets, for readers who can't see it."

/** Makes a line that is read aloud. @param {Element} before */
const lineAfter = (before) => {
  const line = document.createElement("p")
  line.className = "hint"
  line.setAttribute("role", "status")
  before.after(line)
  return line
}

/** Returns a random UUID, as `crypto.randomUUID` does, which a page without a secure connection does not have. */
const newKey = () =>
  "10000000-1000-4000-8000-100000000000".replaceAll(/[018]/g, (digit) => {
    const [random = 0] = crypto.getRandomValues(new Uint8Array(1))
    return (Number(digit) ^ (random & (15 >> (Number(digit) / 4)))).toString(16)
  })

/** Pictures of the service have at most 32 million pixels, and 5 MB, or 2 MB on the preview card. */
const PIXELS_MAX = 32_000_000
const BYTES_MAX = 5 * 1024 * 1024
const CARD_BYTES_MAX = 2 * 1024 * 1024

/** Makes a photo smaller if it is too large for the service. The service judges one that the browser cannot read. @param {File} file @param {number} bytesMax */
const scaled = async (file, bytesMax) => {
  if (!/^image\/(?:jpeg|png|webp)$/.test(file.type)) return file
  try {
    const picture = await createImageBitmap(file)
    if (file.size <= bytesMax && picture.width * picture.height <= PIXELS_MAX) return file
    const type = file.type === "image/jpeg" ? "image/jpeg" : "image/webp"
    for (let attempt = 0; attempt < 6; attempt++) {
      const canvas = document.createElement("canvas")
      Object.assign(canvas, scaledSize(picture.width, picture.height, attempt))
      canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height)
      /** @type {Blob | null} */
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, type, 0.85))
      if (blob && blob.size <= bytesMax) return new File([blob], file.name, { type: blob.type })
    }
  } catch {
    // The browser cannot read it.
  }
  return file
}

/** Files as they are sent: a repeated request sends the same bytes. @type {WeakMap<File, Promise<File>>} */
const sentFiles = new WeakMap()

/**
 * Returns the form that a request for a picture sends. Only one with a file is sent in parts.
 * @param {import("./editing.js").Upload} upload
 */
export const bodyOf = async ({ key, picture, revision, task, text }) => {
  if (task.type === "removal") return new URLSearchParams({ key, revision, remove: task.picture })
  const body = new FormData()
  for (const [name, value] of new URLSearchParams(text ?? "free=&paid=")) body.append(name, value)
  body.set("key", key)
  body.set("revision", revision)
  body.set("place", task.place)
  body.set("alt", task.alt)
  if (!(picture?.file instanceof File)) return body
  const sent =
    sentFiles.get(picture.file) ?? scaled(picture.file, task.place === "card" ? CARD_BYTES_MAX : BYTES_MAX)
  sentFiles.set(picture.file, sent)
  body.set("picture", await sent)
  return body
}

/**
 * Types a paragraph at a place of a text, so that the browser can undo it. A caret that is elsewhere stays there. Returns the
 * place after the paragraph, and the place of its second character if the caret was here.
 * @param {HTMLTextAreaElement} text
 * @param {number} at
 * @param {string} paragraph
 */
const type = (text, at, paragraph) => {
  const { selectionEnd, selectionStart, value } = text
  const active = document.activeElement
  const head = value.slice(0, at)
  const lead = head === "" || head.endsWith("\n\n") ? "" : head.endsWith("\n") ? "\n" : "\n\n"
  const tail = value.startsWith("\n\n", at) ? "" : value[at] === "\n" || at === value.length ? "\n" : "\n\n"
  const typed = `${lead}${paragraph}${tail}`
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
  return { after: at + typed.length, inside: isHere ? at + lead.length + 2 : undefined }
}

/** Removes the images of a picture from a text. @param {HTMLTextAreaElement} text @param {string} id */
const removeImages = (text, id) => {
  for (;;) {
    const [image] =
      new RegExp(`!\\[(?:[^[\\]\\\\]|\\\\.)*\\]\\([^()]*${id}[^()]*\\)\\n?`).exec(text.value) ?? []
    if (!image) return
    const at = text.value.indexOf(image)
    text.focus({ preventScroll: true })
    text.setSelectionRange(at, at + image.length)
    if (!document.execCommand("delete")) return
  }
}

/**
 * Gives pictures to the machine that saves the form. Returns the function that carries out its effects on them.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} section
 * @param {(event: import("./editing.js").Event) => void} dispatch
 */
export const makePictures = (form, section, dispatch) => {
  const list = section.querySelector("ul")
  const input = /** @type {HTMLInputElement} */ (section.querySelector("#picture"))
  const alt = /** @type {HTMLInputElement} */ (section.querySelector("#alt"))
  const card = form.elements.namedItem("cardImage")
  const texts = ["free", "paid"].flatMap((name) => {
    const text = document.getElementById(name)
    return text instanceof HTMLTextAreaElement ? [text] : []
  })
  /** @type {Map<Task, Place>} */
  const places = new Map()
  /** The functions that put pictures at the caret of a text. @type {Map<HTMLTextAreaElement, (files: FileList | null) => void>} */
  const takers = new Map()
  /** The texts before the last change, of which places move with the words around them. @type {Map<HTMLTextAreaElement, string>} */
  const values = new Map()

  /** @param {HTMLTextAreaElement} text */
  const follow = (text) => {
    const before = values.get(text) ?? text.value
    for (const place of places.values())
      if (place.text === text && place.at !== undefined) place.at = movedPlace(before, text.value, place.at)
    values.set(text, text.value)
  }

  /** @param {Task} task @param {HTMLElement} line @param {Partial<Place>} [more] */
  const give = (task, line, more) => {
    const place = {
      text: undefined,
      file: undefined,
      button: undefined,
      at: undefined,
      description: undefined
    }
    places.set(task, { line, ...place, ...more })
    dispatch({ type: "task", task })
  }

  /** @param {string} place @param {string} description @param {ReadonlyArray<File>} files @returns {Task} */
  const additionOf = (place, description, files) => ({
    type: "addition",
    place,
    alt: description,
    pictures: files.map((file) => ({ file, key: newKey() }))
  })

  /** Describes a picture wherever the texts show it. @param {string} id @param {string} words */
  const describe = (id, words) => {
    const active = document.activeElement
    for (const text of texts)
      for (const edit of describedEdits(text.value, id, words))
        write(text, { ...edit, start: edit.from, end: edit.from })
    if (active instanceof HTMLElement) active.focus({ preventScroll: true })
  }

  /**
   * Makes a picture of the strip a button that inserts it at the caret, and adds the field of its description.
   * @param {HTMLElement} item
   */
  const equip = (item) => {
    const { picture: id = "" } = item.dataset
    const [image, more] = [item.querySelector("img"), item.querySelector("details")]
    const said = item.querySelector("bdi")
    const [inserting, label, words] = [
      document.createElement("button"),
      document.createElement("label"),
      document.createElement("input")
    ]
    const described = item.dataset["alt"] ?? ""
    inserting.type = "button"
    inserting.title = "Insert at the caret"
    inserting.setAttribute(
      "aria-label",
      `Insert the picture: ${described === "" ? "without a description" : described}`
    )
    words.value = described
    words.dir = "auto"
    words.maxLength = 500
    label.append("Description", words)
    said?.replaceWith(label)
    if (image) {
      image.replaceWith(inserting)
      inserting.append(image)
    }
    inserting.addEventListener("click", () => {
      const text = currentText()
      if (!text || !image) return
      follow(text)
      type(text, outside(text.value, text.selectionEnd), imageOf(new URL(image.src).pathname, words.value))
      follow(text)
    })
    // The focus is on its way to another place, and stays there.
    words.addEventListener("change", () => setTimeout(() => describe(id, words.value)))
    for (const button of more?.querySelectorAll("button") ?? []) {
      button.removeAttribute("form")
      button.type = "button"
      button.addEventListener("click", () =>
        give({ type: "removal", picture: id, key: newKey() }, line, { button })
      )
    }
  }

  /** Shows a picture in the strip. @param {string} id @param {string} url @param {string} alt @param {string} words */
  const show = (id, url, alt, words) => {
    const [item, image, state, more] = ["li", "img", "p", "details"].map((tag) => document.createElement(tag))
    const [summary, named, removing] = ["summary", "bdi", "button"].map((tag) => document.createElement(tag))
    if (!(item && state && more && summary && named && removing && image instanceof HTMLImageElement)) return
    item.dataset["picture"] = id
    item.dataset["alt"] = alt
    image.src = url
    image.alt = ""
    image.width = 96
    state.className = "hint"
    state.textContent = words
    summary.textContent = "⋯"
    summary.ariaLabel = "More about this picture"
    removing.className = "button quiet"
    removing.textContent = "Remove"
    more.append(summary, named, removing)
    item.append(image, state, more)
    list?.prepend(item)
    equip(item)
  }

  /** @param {Place} place @param {Extract<Effect, { type: "insert picture" }>} effect */
  const insert = (place, { id, markdown, task, url, words }) => {
    const { file, text } = place
    show(id, url, task.alt, words)
    if (text && markdown !== null) {
      follow(text)
      const at = file ? text.value.length : outside(text.value, place.at ?? text.selectionEnd)
      const typed = type(text, at, markdown)
      follow(text)
      // The next one follows, also of another task at the same place.
      for (const other of places.values()) if (other.text === text && other.at === at) other.at = typed.after
      place.at = typed.after
      place.description ??= typed.inside
    } else if (card instanceof HTMLInputElement) card.value = url
    // Another one may have been chosen since.
    if (!file || input.files?.[0] !== file) return
    input.value = ""
    alt.value = ""
  }

  /** @param {Place} place @param {string} id */
  const remove = ({ button }, id) => {
    for (const text of texts) removeImages(text, id)
    if (card instanceof HTMLInputElement && card.value.includes(id)) card.value = ""
    button?.closest("li")?.remove()
  }

  /** @param {Place} place @param {Extract<Effect, { type: "report end" }>} effect */
  const reportEnd = ({ at, description, file, line, text }, { added, refusals, task }) => {
    const reasons = refusals.map(({ outcome, said }) => {
      if (outcome === "pending" && !file) return "The picture can't be shown yet."
      return said || (REASONS[outcome] ?? "")
    })
    if (task.type === "removal") {
      line.textContent = reasons[0] ?? "The picture is removed."
      if (added > 0) input.closest("details")?.querySelector("summary")?.focus()
    } else if (file) {
      const done = text ? "The picture is at the end of the text." : "The picture is on the preview card."
      line.textContent = reasons[0] ?? done
    } else {
      if (text && description !== undefined && text.selectionEnd === at)
        text.setSelectionRange(description, description)
      const said = added === 1 ? "Picture added." : `${added} pictures added.`
      line.textContent = [...reasons, ...(added > 0 ? [said, ADVICE] : [])].join(" ")
    }
  }

  for (const text of texts) {
    const line = lineAfter(text)

    /** @param {FileList} all */
    const take = (all) => {
      const files = [...all].filter((file) => file.type.startsWith("image/"))
      if (files.length === 0) return void (line.textContent = "Only pictures can go into the text.")
      follow(text)
      give(additionOf(text.id, "", files), line, { text, at: outside(text.value, text.selectionEnd) })
    }

    // A long text is not compared at each key while no picture is on its way.
    text.addEventListener("input", () => places.size > 0 && follow(text))
    takers.set(text, (files) => files && take(files))
    text.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault()
    })
    text.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return
      event.preventDefault()
      text.focus()
      // Some browsers cannot tell the place of the drop. Then the caret is meant.
      const drop = document.caretPositionFromPoint?.(event.clientX, event.clientY)
      if (drop?.offsetNode === text) text.setSelectionRange(drop.offset, drop.offset)
      take(event.dataTransfer.files)
    })
    text.addEventListener("paste", (event) => {
      const copied = event.clipboardData
      // Programs copy a text also as a picture of it. Then the text is meant.
      if (
        !copied ||
        !areFiles(
          copied.getData("text/plain"),
          [...copied.files].map(({ name }) => name)
        )
      )
        return
      event.preventDefault()
      take(copied.files)
    })
  }

  const line = lineAfter(list ?? section)

  // The tool asks for pictures, and puts them at the caret.
  document.querySelector("[data-tool=picture]")?.addEventListener("click", () => {
    const chosen = document.createElement("input")
    Object.assign(chosen, { type: "file", accept: "image/*", multiple: true })
    const text = currentText()
    chosen.addEventListener("change", () => text && takers.get(text)?.(chosen.files))
    chosen.click()
  })

  /** Adds the picture that was chosen, with its description, at the end of a text or on the preview card. */
  const choose = () => {
    const file = input.files?.[0]
    const chosen = section.querySelector("[name=place]:checked")
    const place = chosen instanceof HTMLInputElement ? chosen.value : "free"
    if (!file) return void (line.textContent = "Choose a picture first.")
    give(additionOf(place, alt.value, [file]), line, { file, text: texts.find(({ id }) => id === place) })
  }

  // The controls leave the form, whose own script saves only the text.
  for (const item of section.querySelectorAll("li")) equip(item)
  for (const control of section.querySelectorAll("[form]")) {
    control.removeAttribute("form")
    if (!(control instanceof HTMLButtonElement)) continue
    control.type = "button"
    control.addEventListener("click", choose)
  }

  /** @param {Effect} effect */
  return (effect) => {
    const place = "task" in effect ? places.get(effect.task) : undefined
    if (place === undefined) return
    switch (effect.type) {
      case "report start":
        if (effect.task.type === "removal") return
        place.line.textContent =
          effect.count === 1 ? "Adding the picture…" : `Adding picture ${effect.number} of ${effect.count}…`
        return
      case "insert picture":
      case "remove picture":
        try {
          if (effect.type === "insert picture") insert(place, effect)
          else remove(place, effect.task.picture)
        } finally {
          dispatch({ type: "edit" })
        }
        return
      case "report end":
        places.delete(effect.task)
        return reportEnd(place, effect)
    }
  }
}
