import { rootOf } from "../parser/rootOf.ts"

/** A character in a spelling of Markdown: escaped, as a reference, or plain. */
const SPELLING = /\\([!-/:-@[-`{-~])|&(?:#x([\da-f]{1,6})|#(\d{1,7})|[a-z\d]{1,31});|[^]/giu

const codePoint = (digits: string, base: number) => {
  const code = Number.parseInt(digits, base)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined
}

/** Returns the text of a reference by name, or the reference itself when the name is unknown. */
const namedReference = (reference: string): string => {
  const block = rootOf(reference).children[0]
  const text = block?.type === "paragraph" ? block.children[0] : undefined
  return text?.type === "text" ? text.value : reference
}

/**
 * Returns a text without a URL, in every place and spelling. It reads from left to right and removes the URL from the end
 * of its output, so that removing one never forms another. It takes linear time.
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
  /** The output: the spelling of each character, and the character. */
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
