import type { Extension as FromMarkdown } from "mdast-util-from-markdown"
import type { Options as ToMarkdown } from "mdast-util-to-markdown"
import type { Code, Construct, Extension, Previous, State, Tokenizer } from "micromark-util-types"
import { WITHOUT_SPANS } from "./underline.ts"

declare module "micromark-util-types" {
  interface TokenTypeMap {
    literalAutolink: "literalAutolink"
  }
}

/** The scheme and host of an address: names with at least one dot. */
const BEGINNING = /https?:\/\/([\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+)/iuy

/** A character that goes on with an address after its host. A full stop of Chinese would be part of the host elsewhere. */
const MORE = /[/?#:]/

/** A character that ends an address. A pipe ends a cell. */
const END = /[\s<|\p{Cc}]/u

/** Marks at the end of an address that belong to the sentence around it, or to the span. */
const TRAILING = "?!.,:;*_~+'\""

const LETTER = /[A-Za-z]/
const REFERENCE_NAME = /[A-Za-z\d]/

const matches = (pattern: RegExp, character: string | undefined) =>
  character !== undefined && pattern.test(character)

/** Returns the offset at which a character reference begins that ends here, or undefined. */
const referenceBefore = (source: string, end: number) => {
  let at = end - 2
  while (matches(REFERENCE_NAME, source[at])) at--
  return source[at] === "&" && at < end - 2 ? at : undefined
}

/** Returns the end of the address that begins at an offset, as GFM finds it; undefined without one. */
const endOfAddress = (source: string, start: number): number | undefined => {
  BEGINNING.lastIndex = start
  const [beginning, host] = BEGINNING.exec(source) ?? []
  if (beginning === undefined || host === undefined) return undefined
  if (host.split(".").slice(-2).join("").includes("_")) return undefined

  let end = start + beginning.length
  if (!matches(MORE, source[end])) return end
  let brackets = 0
  /** Closing parentheses without an opening one. */
  let closing = 0
  for (; end < source.length && !matches(END, source[end]); end++) {
    const character = source[end]
    // A bracket that opened before the address closes after it.
    if (character === "]" && brackets-- === 0) break
    if (character === "[") brackets++
    if (character === "(") closing--
    if (character === ")") closing++
  }
  for (;;) {
    const last = source[end - 1] ?? ""
    if (last === ")" && closing > 0) {
      closing--
      end--
    } else if (last !== "" && TRAILING.includes(last)) {
      end = (last === ";" ? referenceBefore(source, end) : undefined) ?? end - 1
    } else return end
  }
}

const isLetter = (code: Code) => code !== null && code > 0 && LETTER.test(String.fromCharCode(code))

/**
 * Reads bare `https://` and `http://` addresses as links, as the autolinks of GFM. Looks at the source before it begins, so
 * that it never fails and the parser has nothing to take back. An address within a longer word is text.
 */
export const autolinks = (source: string): Extension => {
  let known: { readonly start: number; readonly end: number | undefined } | undefined
  const endAt = (start: number) => {
    if (known?.start !== start) known = { start, end: endOfAddress(source, start) }
    return known.end
  }
  const previous: Previous = function (before) {
    return !isLetter(before) && endAt(this.now().offset) !== undefined
  }
  const tokenize: Tokenizer = function (effects, ok, nok) {
    const { offset } = this.now()
    const end = previous.call(this, this.previous) ? endAt(offset) : undefined
    if (end === undefined) return nok
    let left = end - offset
    const within: State = (code) => {
      if (left-- > 0 && code !== null && code > 0) {
        effects.consume(code)
        return within
      }
      effects.exit("chunkString")
      effects.exit("literalAutolink")
      return ok(code)
    }
    return (code) => {
      effects.enter("literalAutolink")
      effects.enter("chunkString", { contentType: "string" })
      return within(code)
    }
  }
  const construct: Construct = { name: "literalAutolink", previous, tokenize }
  return { text: { ["h".charCodeAt(0)]: construct, ["H".charCodeAt(0)]: construct } }
}

const LINKS: ReadonlySet<string> = new Set(["link", "image"])

/** Makes links of bare addresses. In the text of a link, and in the description of an image, they are text. */
export const autolinksFromMarkdown: FromMarkdown = {
  enter: {
    literalAutolink() {
      this.buffer()
    }
  },
  exit: {
    literalAutolink(token) {
      const text = this.resume()
      const url = this.sliceSerialize(token)
      const isText = this.stack.some(({ type }) => LINKS.has(type))
      if (!isText) this.enter({ type: "link", title: null, url, children: [] }, token)
      this.enter({ type: "text", value: isText ? text : url }, token)
      this.exit(token)
      if (!isText) this.exit(token)
    }
  }
}

/** Escapes an address that is text. */
export const autolinksToMarkdown: ToMarkdown = {
  unsafe: [
    {
      character: ":",
      before: "[Pp][Ss]?",
      after: "//",
      inConstruct: "phrasing",
      notInConstruct: [...WITHOUT_SPANS]
    }
  ]
}
