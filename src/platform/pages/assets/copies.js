// @ts-check
// Keeps texts that are not saved on this device, for a week, under their author and post. Each page has a place of its own, so
// that two tabs with one post keep both texts. It has no page, so Node tests it.

/** @typedef {import("./editing.js").Copy} Copy */

/** The part of a browser's storage that it needs. @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Place */

const PREFIX = "pennypress:text:"
const LIFE_MILLIS = 7 * 24 * 60 * 60 * 1000

/** Writes a form in a shorter way than its percent escapes. @param {Copy} copy */
const packed = ({ unanswered, ...copy }) => ({
  ...copy,
  text: [...new URLSearchParams(copy.text)],
  unanswered: unanswered && { ...unanswered, text: [...new URLSearchParams(unanswered.text)] }
})

/** @param {ReturnType<typeof packed>} copy @returns {Copy} */
const unpacked = ({ unanswered, ...copy }) => ({
  ...copy,
  text: new URLSearchParams(copy.text).toString(),
  unanswered: unanswered && { ...unanswered, text: new URLSearchParams(unanswered.text).toString() }
})

/** Returns what a place has under a name; null for anything else than a copy. @param {Place} place @param {string} name */
const read = (place, name) => {
  try {
    /** @type {{ at: number, copy: ReturnType<typeof packed> }} */
    const { at, copy } = JSON.parse(place.getItem(name) ?? "")
    return { at, copy: unpacked(copy) }
  } catch {
    return null
  }
}

/** @param {Place} place */
const namesIn = (place) => {
  /** @type {Array<string>} */
  const names = []
  for (let at = 0; at < place.length; at++) {
    const name = place.key(at)
    if (name?.startsWith(PREFIX)) names.push(name)
  }
  return names
}

/**
 * Makes the copies of the texts of a page. `places` are tried in their order, because a browser may refuse one, or have no room
 * in it. `author` opened the form, and `owner` is the account that is signed in, which may be another one or none. `path` is that
 * of the page now, which changes when a new post is saved.
 * @param {{ places: ReadonlyArray<Place>, author: string, owner: string, path: () => string, now: () => number, random: () => string }} page
 */
export const makeCopies = ({ author, now, owner, path, places, random }) => {
  let own = random()
  /** The name of the copy on offer. @type {string | null} */
  let offered = null

  const prefix = () => `${PREFIX}${author}:${path()}:`

  /** @param {string} name */
  const remove = (name) => {
    for (const place of places) place.removeItem(name)
  }

  /** Puts a text into a place, and returns true if it has room. @param {Place} place @param {string} name @param {string} text */
  const put = (place, name, text) => {
    try {
      place.setItem(name, text)
      return true
    } catch {
      // It keeps nothing, or not so much.
      return false
    }
  }

  /** Puts a text into a place without its oldest copies. Those stay if it has no room even so. @param {Place} place @param {string} name @param {string} text */
  const makeRoom = (place, name, text) => {
    const others = namesIn(place)
      .filter((it) => it !== name && it !== offered)
      .map((it) => ({ name: it, text: place.getItem(it) ?? "", at: read(place, it)?.at ?? 0 }))
      .toSorted((one, other) => one.at - other.at)
    for (const [index, other] of others.entries()) {
      place.removeItem(other.name)
      if (put(place, name, text)) return true
      if (index === others.length - 1) for (const it of others) put(place, it.name, it.text)
    }
    return false
  }

  /** Keeps a text instead of the one before, which stays if no place has room. Returns true if it is kept. @param {Copy} copy */
  const keep = (copy) => {
    const name = `${prefix()}${own}`
    const text = JSON.stringify({ at: now(), copy: packed(copy) })
    const chosen =
      places.find((place) => put(place, name, text)) ?? places.find((place) => makeRoom(place, name, text))
    for (const place of places) if (chosen !== undefined && place !== chosen) place.removeItem(name)
    return chosen !== undefined
  }

  return {
    keep,

    forget() {
      remove(`${prefix()}${own}`)
    },

    /** Returns the newest copy of the post, to be offered to its author alone. Copies of any post that are older than a week are removed. */
    find() {
      /** @type {{ at: number, copy: Copy } | null} */
      let newest = null
      const isAuthor = owner !== "" && owner === author
      for (const place of places)
        for (const name of namesIn(place)) {
          const found = read(place, name)
          if (found === null || !(now() - found.at < LIFE_MILLIS)) place.removeItem(name)
          else if (isAuthor && name.startsWith(prefix()) && (newest === null || found.at > newest.at)) {
            newest = found
            offered = name
          }
        }
      return newest
    },

    /** Removes the copy on offer. */
    refuse() {
      if (offered !== null) remove(offered)
      offered = null
    },

    /** Keeps the copy on offer as the text of this page. What the page kept before stays, and is offered later. */
    take(/** @type {Copy} */ copy) {
      own = random()
      const former = offered
      // It may make room for itself.
      offered = null
      if (keep(copy) && former !== null) remove(former)
    }
  }
}
