/** A flag of a part of a country: the one place where tag characters are part of what a reader sees. */
const FLAG = String.raw`\u{1F3F4}[\u{E0061}-\u{E007A}]{2}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,3}\u{E007F}`

/** Controls but line feed and tab, marks that turn the direction of text, tag characters, and characters without width. */
const HIDDEN = String.raw`[\0-\x08\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]`

const FLAG_OR_HIDDEN = new RegExp(`(${FLAG})|${HIDDEN}`, "gu")

const SELECTORS = String.raw`\uFE00-\uFE0F\u{E0100}-\u{E01EF}`

/** A variation selector that does not follow a visible character. */
const STRAY_SELECTOR = new RegExp(String.raw`(?<![^\s${SELECTORS}])[${SELECTORS}]`, "gu")

/** Removes from the text of a stranger what a person would not see and a model would read. Counts what it removed. */
export class Cleaner {
  removed = 0

  readonly text = (text: string): string =>
    text
      .replace(FLAG_OR_HIDDEN, (_, flag: string | undefined) => flag ?? this.#none())
      .replace(STRAY_SELECTOR, () => this.#none())

  readonly nullable = (text: string | null): string | null => (text === null ? null : this.text(text))

  #none() {
    this.removed++
    return ""
  }
}

/** A part of a text. Places are counted in characters (code points). */
export interface Part {
  readonly text: string
  readonly nextOffset: number | null
  readonly totalCharacters: number
}

/** Returns the number of bytes of a character in UTF-8. */
const bytesOf = (character: string) => {
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

/** Returns the part of a text from this character on that has at most this number of bytes in UTF-8. */
export const partOf = (text: string, offset: number, bytesMax: number): Part => {
  let place = 0
  let index = 0
  let begin = text.length
  let end = text.length
  let bytes = 0
  let nextOffset: number | null = null
  for (const character of text) {
    if (place === offset) begin = index
    if (place >= offset && nextOffset === null) {
      bytes += bytesOf(character)
      if (bytes > bytesMax) {
        end = index
        nextOffset = place
      }
    }
    place++
    index += character.length
  }
  return { text: text.slice(begin, end), nextOffset, totalCharacters: place }
}
