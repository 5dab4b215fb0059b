import { rootOf } from "../parser/rootOf.ts"

/** A character as Markdown may spell it: escaped, as a reference, or as it is. */
const SPELLING = /\\([!-/:-@[-`{-~])|&(?:#x([\da-f]{1,6})|#(\d{1,7})|[a-z\d]{1,31});|[^]/giu

const codePoint = (digits: string, base: number) => {
  const code = Number.parseInt(digits, base)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined
}

/** What the parser makes of a reference by name; itself when there is none. */
const namedReference = (reference: string): string => {
  const block = rootOf(reference).children[0]
  const text = block?.type === "paragraph" ? block.children[0] : undefined
  return text?.type === "text" ? text.value : reference
}

/**
 * A text without a URL, wherever it is and however its characters are spelled. Reads from left to right and takes back
 * what it has written as soon as that ends with the URL, so that none comes to be by removing another. Takes linear time.
 */
export const withoutUrlText = (source: string, url: string): string => {
  if (url === "") return source
  const names = new Map<string, string>()
  const named = (reference: string) => {
    const known = names.get(reference)
    if (known !== undefined) return known
    const text = namedReference(reference)
    names.set(reference, text)
    return text
  }
  /** What was written: how each character is spelled, and what it is. */
  const spelled: Array<string> = []
  const said: Array<string> = []
  const size = Array.from(url).length
  const ends = Array.from(url).at(-1)
  for (const [spelling, escaped, hex, decimal] of source.matchAll(SPELLING)) {
    const character =
      escaped ??
      (hex === undefined ? undefined : codePoint(hex, 16)) ??
      (decimal === undefined ? undefined : codePoint(decimal, 10)) ??
      (spelling.length > 2 ? named(spelling) : spelling)
    spelled.push(spelling)
    said.push(character)
    if (character === ends && said.slice(-size).join("") === url) {
      spelled.length -= size
      said.length -= size
    }
  }
  return spelled.join("")
}
