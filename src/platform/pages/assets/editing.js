// @ts-check
// Decides how a post is saved while its author writes, and how pictures come into it. This is a pure state machine: scripts
// of the page tell it what happened, and carry out its effects. It has no page, clock or network, so Node tests it.

/** The path of a post that was never saved. */
const NEW = "/write"
const AUTOSAVE_MILLIS = 10_000
const COPY_MILLIS = 1000
/** Requests for a picture, at most, until one is answered. */
const ATTEMPTS_MAX = 3

/** Outcomes after which only a press of the author saves the text. */
const FINAL = new Set(["conflict", "missing", "repeat"])

/** Outcomes that are no reason: the author goes on writing. */
const CALM = new Set(["none", "saved", "unsaved", "kept"])

/** Outcomes of requests whose answer is unknown: the service may have saved the text. */
const UNKNOWN = new Set(["offline", "failing", "busy"])

/** Outcomes of answers without JSON. @type {Readonly<Record<number, string>>} */
const BY_STATUS = { 403: "restricted", 404: "gone", 413: "long", 429: "busy" }

/**
 * A request that saves. `text` is the form as a browser sends it, without the members that change with each request.
 * @typedef {{ path: string, text: string, key: string, revision: string }} Save
 */

/**
 * A text that is not saved, as the device keeps it, and the request whose answer is unknown.
 * @typedef {Save & { unanswered: Save | null }} Copy
 */

/**
 * A button of the form. One with another name than `next` does more than save.
 * @typedef {{ name: string, value: string }} Button
 */

/** @typedef {{ button: Button | null }} Press */

/** @typedef {{ file: unknown, key: string }} Picture */

/**
 * Pictures that an author gives, or one that an author removes. `place` is a section, or `card` for the preview card.
 * @typedef {{ type: "addition", place: string, alt: string, pictures: ReadonlyArray<Picture> }} Addition
 * @typedef {{ type: "removal", picture: string, key: string }} Removal
 * @typedef {Addition | Removal} Task
 */

/**
 * A request for a picture. With a `text`, it saves a new post that has no text yet.
 * @typedef {{ path: string, revision: string, key: string, task: Task, picture: Picture | null, text: string | null }} Upload
 */

/**
 * The progress of a task.
 * @typedef {{ index: number, attempt: number, upload: Upload | null, added: number, refusals: ReadonlyArray<Refusal> }} Progress
 * @typedef {{ outcome: string, said: string }} Refusal
 */

/**
 * The request under way, and the reason for which it was sent.
 * @typedef {{ type: "save", save: Save, isRepeat: boolean, press: Press | null, isForPicture: boolean }} SaveRequest
 * @typedef {SaveRequest | { type: "upload" }} Request
 */

/**
 * The answer of the service.
 * @typedef {{ path: string, name: string }} Link
 * @typedef {{
 *   outcome: string, path?: string, revision?: string, next?: string, said?: string, link?: Link | null,
 *   id?: string, url?: string, markdown?: string, words?: string
 * }} Body
 */

/**
 * The state of a form. `saved` is the text that the service has, or null if it is unknown. `isPaused` holds requests back
 * while a picture waits: for its next attempt, or until it stands in the text.
 * @typedef {{
 *   path: string, key: string, revision: string, saved: string | null, isPublished: boolean, isAutomatic: boolean,
 *   outcome: string, request: Request | null, unanswered: Save | null, press: Press | null, isSaveDue: boolean,
 *   isEdited: boolean, isTimed: boolean, isPaused: boolean, isLeaving: boolean, offer: Copy | null,
 *   tasks: ReadonlyArray<Task>, progress: Progress | null
 * }} State
 */

/**
 * What happened. An `edit` is a picture that was put into the text, or taken out of it, and a `shortcut` the key that saves.
 * @typedef {{ type: "input" | "blur" | "focus" | "connection" | "silence" | "edit" | "shortcut" }
 *   | { type: "departure" | "return" | "restoration" | "disposal" }
 *   | { type: "start", copy: Copy | null }
 *   | { type: "timeout", timer: Timer }
 *   | { type: "press", button: Button | null }
 *   | { type: "answer", status: number, body: Body | null }
 *   | { type: "task", task: Task }} Event
 * @typedef {"autosave" | "copy" | "attempt"} Timer
 */

/**
 * What the scripts of the page do next.
 * @typedef {{ type: "send", save: Save, next: string | null }
 *   | { type: "upload", upload: Upload }
 *   | { type: "start timer", timer: Timer, millis: number }
 *   | { type: "stop timer", timer: Timer }
 *   | { type: "say", outcome: string, said: string, link: Link | null, isRepeated: boolean, fields: ReadonlyArray<string> }
 *   | { type: "keep copy", copy: Copy }
 *   | { type: "forget copy" }
 *   | { type: "offer copy", isChanged: boolean }
 *   | { type: "close offer" }
 *   | { type: "take offer", copy: Copy }
 *   | { type: "forget offer" }
 *   | { type: "fill form", text: string }
 *   | { type: "set version", key: string, revision: string }
 *   | { type: "set path", path: string }
 *   | { type: "submit form", button: Button | null }
 *   | { type: "go to", path: string }
 *   | { type: "report start", task: Task, number: number, count: number }
 *   | { type: "report end", task: Task, added: number, refusals: ReadonlyArray<Refusal> }
 *   | { type: "insert picture", task: Addition, id: string, url: string, markdown: string | null, words: string }
 *   | { type: "remove picture", task: Removal }} Effect
 */

/** A step under way: the next state, and the effects so far. @typedef {{ state: State, effects: Array<Effect> }} Turn */

/**
 * Returns the state of a form as the service sent it. `outcome` is the code that the page states.
 * @param {{ path: string, key: string, revision: string, text: string, outcome: string, isPublished: boolean }} form
 * @returns {State}
 */
export const stateOf = ({ isPublished, key, outcome, path, revision, text }) => ({
  path,
  key,
  revision,
  saved: outcome === "saved" ? text : null,
  isPublished,
  // Readers of a published post would see half a sentence, so it waits for its author.
  isAutomatic: !isPublished && !FINAL.has(outcome),
  outcome: "none",
  request: null,
  unanswered: null,
  press: null,
  isSaveDue: false,
  isEdited: false,
  isTimed: false,
  isPaused: false,
  isLeaving: false,
  offer: null,
  tasks: [],
  progress: null
})

/** Returns true if a text has something that the service may not have. @param {State} state @param {string} text */
const isUnsaved = ({ saved, unanswered }, text) => unanswered !== null || text !== saved

/** Returns true if an author who leaves now loses something. @param {State} state @param {string} text */
export const losesSomething = (state, text) =>
  !state.isLeaving && (isUnsaved(state, text) || state.tasks.length > 0)

/** Returns true for a post that has a draft, or a text to begin one with. @param {State} state @param {string} text */
const isBegun = ({ path }, text) => {
  const fields = new URLSearchParams(text)
  return path !== NEW || ["free", "paid"].some((name) => fields.get(name)?.trim())
}

/** Returns the names of the fields that are not saved. @param {string} saved @param {string} text */
const changesOf = (saved, text) => {
  const [before, now] = [new URLSearchParams(saved), new URLSearchParams(text)]
  return [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name))
}

/** Returns the outcome of an answer to a save. @param {number} status @param {Body | null} body */
const outcomeOf = (status, body) =>
  status >= 500 ? "failing" : (body?.outcome ?? BY_STATUS[status] ?? "unreadable")

/** @param {Turn} turn @param {string} outcome @param {Partial<Extract<Effect, { type: "say" }>>} [more] */
const say = ({ effects, state }, outcome, more) => {
  state.outcome = outcome
  effects.push({ type: "say", outcome, said: "", link: null, isRepeated: false, fields: [], ...more })
}

/** Keeps the text on the device, or forgets it once it is saved. @param {Turn} turn @param {string} text */
const keep = ({ effects, state }, text) => {
  const { key, path, revision, unanswered } = state
  if (!isUnsaved(state, text)) effects.push({ type: "forget copy" })
  else effects.push({ type: "keep copy", copy: { path, text, key, revision, unanswered } })
}

/** Saves the text after a while. @param {Turn} turn */
const saveLater = ({ effects, state }) => {
  if (!state.isAutomatic || state.isTimed) return
  state.isTimed = true
  effects.push({ type: "start timer", timer: "autosave", millis: AUTOSAVE_MILLIS })
}

/** @param {Turn} turn */
const stopTimer = ({ effects, state }) => {
  if (state.isTimed) effects.push({ type: "stop timer", timer: "autosave" })
  state.isTimed = false
}

/** Takes the path and revision of an answer. @param {Turn} turn @param {Body} body */
const takeVersion = ({ effects, state }, { path = state.path, revision = state.revision }) => {
  if (revision !== state.revision) effects.push({ type: "set version", key: state.key, revision })
  if (path !== state.path) effects.push({ type: "forget copy" }, { type: "set path", path })
  state.revision = revision
  state.path = path
}

/**
 * Sends the request whose answer is unknown, with its own key, or else the text of the form.
 * @param {Turn} turn
 * @param {string} text
 * @param {{ press?: Press | null, isForPicture?: boolean }} reason
 */
const send = (turn, text, { isForPicture = false, press = null }) => {
  const { effects, state } = turn
  const { key, path, revision, unanswered } = state
  const save = unanswered ?? { path, text, key, revision }
  const isRepeat = unanswered !== null
  stopTimer(turn)
  state.isSaveDue = false
  state.request = { type: "save", save, isRepeat, press, isForPicture }
  state.unanswered = save
  effects.push({ type: "send", save, next: isRepeat ? null : press?.button?.value || null })
}

/** Does the next thing that waits, if no request is under way. @param {Turn} turn @param {string} text */
const goOn = (turn, text) => {
  const { effects, state } = turn
  if (state.request !== null || state.isPaused || state.isLeaving) return
  const { press } = state
  const [task] = state.tasks
  // Nothing newer goes before a picture whose answer is unknown.
  if (task !== undefined && state.progress?.upload) return goOnWith(turn, text, task)
  // A press saves the text itself.
  if (state.isSaveDue && (press === null || task !== undefined)) {
    stopTimer(turn)
    state.isSaveDue = false
    if (state.isAutomatic && isUnsaved(state, text) && (state.unanswered !== null || isBegun(state, text)))
      return send(turn, text, {})
  }
  // A press waits for the pictures that were given before it, so that it saves them too.
  if (task !== undefined) return goOnWith(turn, text, task)
  if (press === null) return
  state.press = null
  const leads = /^(next)?$/.test(press.button?.name ?? "")
  if (state.unanswered !== null || leads) return send(turn, text, { press })
  state.isLeaving = true
  effects.push({ type: "submit form", button: press.button })
}

/** Goes on with pictures. @param {Turn} turn @param {string} text @param {Task} task */
const goOnWith = (turn, text, task) => {
  const { effects, state } = turn
  const count = task.type === "addition" ? task.pictures.length : 1
  if (state.progress === null) {
    state.progress = { index: 0, attempt: 1, upload: null, added: 0, refusals: [] }
    effects.push({ type: "report start", task, number: 1, count })
  }
  const { index, upload } = state.progress
  if (upload === null) {
    const isFirst = state.path === NEW && isBegun(state, text)
    if (isFirst && state.unanswered === null && !state.isAutomatic)
      return endPicture(turn, text, { outcome: "unsaved", said: "" })
    if (isFirst || state.unanswered !== null) return send(turn, text, { isForPicture: true })
  }
  const isWithText = state.path === NEW
  const picture = task.type === "addition" ? (task.pictures[index] ?? null) : null
  const key = task.type === "removal" ? task.key : (picture?.key ?? "")
  const sent = upload ?? {
    path: state.path,
    revision: state.revision,
    key: isWithText ? state.key : key,
    task,
    picture,
    text: isWithText ? text : null
  }
  state.request = { type: "upload" }
  state.progress = { ...state.progress, upload: sent }
  effects.push({ type: "upload", upload: sent })
}

/**
 * Ends a picture, perhaps with the reason for which it was refused.
 * @param {Turn} turn
 * @param {string} text
 * @param {Refusal} [refusal]
 */
const endPicture = (turn, text, refusal) => {
  const { effects, state } = turn
  const [task, ...others] = state.tasks
  if (task === undefined || state.progress === null) return
  const count = task.type === "addition" ? task.pictures.length : 1
  const index = state.progress.index + 1
  const added = state.progress.added + (refusal === undefined ? 1 : 0)
  const refusals = [...state.progress.refusals, ...(refusal === undefined ? [] : [refusal])]
  if (index < count) {
    state.progress = { index, attempt: 1, upload: null, added, refusals }
    effects.push({ type: "report start", task, number: index + 1, count })
  } else {
    state.progress = null
    state.tasks = others
    effects.push({ type: "report end", task, added, refusals })
    // The author reads the reason before the page goes on.
    if (refusals.length > 0 && state.press !== null) {
      state.press = null
      say(turn, "picture")
    }
  }
  goOn(turn, text)
}

/** Tries a picture again after a lost answer, a few times. @param {Turn} turn @param {string} text */
const retryPicture = (turn, text) => {
  const { effects, state } = turn
  if (state.progress === null) return
  const { attempt } = state.progress
  if (attempt === ATTEMPTS_MAX) return endPicture(turn, text, { outcome: "offline", said: "" })
  state.progress = { ...state.progress, attempt: attempt + 1 }
  state.isPaused = true
  effects.push({ type: "start timer", timer: "attempt", millis: attempt * 1000 })
}

/**
 * Takes the answer to a save.
 * @param {Turn} turn
 * @param {SaveRequest} request
 * @param {string} text
 * @param {string} outcome
 * @param {Body | null} body
 */
const endSave = (turn, { isForPicture, isRepeat, press, save }, text, outcome, body) => {
  const { effects, state } = turn
  state.request = null
  if (UNKNOWN.has(outcome)) {
    say(turn, outcome, { isRepeated: state.isAutomatic })
    saveLater(turn)
    return isForPicture ? retryPicture(turn, text) : goOn(turn, text)
  }
  state.unanswered = null
  if (outcome === "saved" && body !== null) {
    state.saved = save.text
    takeVersion(turn, body)
    say(turn, "saved")
    keep(turn, text)
    if (press !== null && !isRepeat && text === save.text && state.tasks.length === 0) {
      state.isLeaving = true
      state.press = null
      return void effects.push({ type: "go to", path: body.next ?? state.path })
    }
    if (press !== null) state.press ??= press
    else if (isRepeat) state.isSaveDue = true
    else if (isUnsaved(state, text)) saveLater(turn)
    return goOn(turn, text)
  }
  if (FINAL.has(outcome)) state.isAutomatic = false
  say(turn, outcome, { said: body?.said ?? "", link: body?.link ?? null })
  // With a session, a key or an hour later, the same text may be saved. A refused one waits for a change.
  if (save.text !== text || (body !== null && outcome !== "refused")) saveLater(turn)
  if (isForPicture && state.path === NEW) return endPicture(turn, text, { outcome: "unsaved", said: "" })
  if (press !== null && (isRepeat || state.tasks.length > 0)) state.press ??= press
  else if (press !== null && body !== null) {
    // The browser sends the form, and its page shows the reason.
    state.isLeaving = true
    state.press = null
    return void effects.push({ type: "submit form", button: press.button })
  }
  goOn(turn, text)
}

/** Takes the answer to a picture. @param {Turn} turn @param {string} text @param {Body | null} body */
const endUpload = (turn, text, body) => {
  const { effects, state } = turn
  const [task] = state.tasks
  state.request = null
  if (body !== null) {
    // The request made the post, with the text that it had.
    if (body.path !== undefined && state.path === NEW) state.saved = state.progress?.upload?.text ?? null
    takeVersion(turn, body)
    keep(turn, text)
  }
  const { outcome = "unreadable", said = "", words = "" } = body ?? {}
  if (outcome === "added" && task?.type === "addition") {
    const { id = "", markdown = null, url = "" } = body ?? {}
    state.isPaused = true
    effects.push({ type: "insert picture", task, id, url, markdown, words })
  } else if (outcome === "removed" && task?.type === "removal") {
    state.isPaused = true
    effects.push({ type: "remove picture", task })
  } else endPicture(turn, text, { outcome, said: said || words })
}

/** @param {Turn} turn */
const takeInput = (turn) => {
  const { effects, state } = turn
  state.isLeaving = false
  state.isEdited = true
  // A reason stays until the next answer.
  if (state.outcome !== "unsaved" && CALM.has(state.outcome)) say(turn, "unsaved")
  saveLater(turn)
  effects.push({ type: "start timer", timer: "copy", millis: COPY_MILLIS })
}

/**
 * Offers the text that the device kept, unless it is saved or belongs to another account.
 * @param {Turn} turn
 * @param {Copy | null} copy
 * @param {string} text
 */
const begin = (turn, copy, text) => {
  const { effects, state } = turn
  /** @param {string} form */
  const authorOf = (form) => new URLSearchParams(form).get("author")
  if (copy !== null && (copy.text === text || authorOf(copy.text) !== authorOf(text)))
    effects.push({ type: "forget offer" })
  else if (copy !== null) {
    state.offer = copy
    effects.push({ type: "offer copy", isChanged: copy.revision !== state.revision })
  }
  if (state.saved === null) saveLater(turn)
}

/**
 * Fills the form with the copy on offer. With an older revision, saving it is a conflict, which shows both.
 * @param {Turn} turn
 */
const restore = (turn) => {
  const { effects, state } = turn
  if (state.offer === null) return
  const copy = state.offer
  const { key, revision, text, unanswered } = copy
  state.unanswered ??= unanswered
  Object.assign(state, { key, revision, offer: null })
  effects.push(
    { type: "close offer" },
    { type: "take offer", copy },
    { type: "set version", key, revision },
    { type: "fill form", text }
  )
  takeInput(turn)
}

/** Says which fields of a published post are not saved. @param {Turn} turn @param {string} text */
const sayFields = (turn, text) => {
  const { isPublished, saved } = turn.state
  if (!isPublished || saved === null) return
  if (isUnsaved(turn.state, text)) say(turn, "unsaved", { fields: changesOf(saved, text) })
  else say(turn, "none")
}

/** @param {Turn} turn @param {Event} event @param {string} text */
const take = (turn, event, text) => {
  const { effects, state } = turn
  switch (event.type) {
    case "input":
      return takeInput(turn)
    case "start":
      return begin(turn, event.copy, text)
    case "blur":
      state.isSaveDue ||= state.isEdited
      state.isEdited = false
      break
    case "focus":
      state.isSaveDue ||= state.isTimed
      break
    case "connection":
      state.isSaveDue ||= state.unanswered !== null
      break
    case "shortcut":
      if (!isUnsaved(state, text)) return say(turn, "saved")
      if (state.isPublished && state.offer === null) {
        // Readers see a public post as it is when its author presses the button.
        effects.push({ type: "stop timer", timer: "copy" })
        keep(turn, text)
        return say(turn, "kept")
      }
      state.isSaveDue = true
      break
    case "departure":
      return keep(turn, text)
    case "return":
      state.isLeaving = false
      break
    case "press":
      state.press = { button: event.button }
      if (state.tasks.length > 0) say(turn, "waiting")
      break
    case "task":
      state.tasks = [...state.tasks, event.task]
      break
    case "timeout":
      if (event.timer === "copy") {
        keep(turn, text)
        return sayFields(turn, text)
      }
      if (event.timer === "attempt") state.isPaused = false
      else {
        state.isTimed = false
        state.isSaveDue = true
      }
      break
    case "edit":
      state.isPaused = false
      // The picture of the card changes the form without an input.
      if (isUnsaved(state, text)) saveLater(turn)
      return endPicture(turn, text)
    case "answer":
      if (state.request?.type === "upload") return endUpload(turn, text, event.body)
      if (state.request !== null)
        return endSave(turn, state.request, text, outcomeOf(event.status, event.body), event.body)
      break
    case "silence":
      if (state.request?.type === "save") return endSave(turn, state.request, text, "offline", null)
      state.request = null
      return retryPicture(turn, text)
    case "restoration":
      return restore(turn)
    case "disposal":
      state.offer = null
      effects.push({ type: "close offer" }, { type: "forget offer" })
      break
  }
  goOn(turn, text)
}

/**
 * Returns the state after an event, and what the scripts of the page do then. `text` is the form as it is now, of which an
 * `input` needs nothing.
 * @param {State} state
 * @param {Event} event
 * @param {string} text
 * @returns {{ readonly state: State, readonly effects: ReadonlyArray<Effect> }}
 */
export const step = (state, event, text) => {
  /** @type {Turn} */
  const turn = { state: { ...state }, effects: [] }
  take(turn, event, text)
  return turn
}
