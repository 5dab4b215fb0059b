/** Elements within elements, at most. Tags of deeper ones are left out, and their text stays. */
const DEPTH_MAX = 512
/** Formatting elements that are open at one time. The parser repeats each of them in every block. */
const FORMATTING_MAX = 32
/** Attributes of one tag, at most. */
const ATTRIBUTES_MAX = 256

const VOID: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" ")
)
const FORMATTING: ReadonlySet<string> = new Set(
  "a b big code em font i nobr s small strike strong tt u".split(" ")
)
/** Elements that another one of their kind closes, so that their tags do not count as depth. */
const CLOSED_BY_SIBLINGS: ReadonlySet<string> = new Set(
  "p li dd dt td th tr tbody thead tfoot option optgroup colgroup caption rb rp rt rtc".split(" ")
)
/** Elements with text instead of HTML. Nothing of it reaches the tree. */
const RAW: ReadonlySet<string> = new Set("script style textarea title xmp iframe noembed noframes".split(" "))
/** Tags without a meaning in the text of a post. */
const LEFT_OUT: ReadonlySet<string> = new Set("html head body plaintext frameset frame base".split(" "))

/** Comments that say something about the text. */
const MEANT_COMMENT = /^\s*(?:members-only|paid|more\b|nextpage|\/?wp:|kg-card-)/

const GREATER = 62
const SLASH = 47
const EQUALS = 61

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13 && code !== 11)
const isLetter = (code: number) => (code | 32) >= 97 && (code | 32) <= 122

interface Tag {
  readonly end: number
  /** The offset after the last attribute that is kept. */
  readonly cut: number | undefined
}

/** Reads the attributes of a tag as the HTML tokenizer does; undefined for a tag without an end. */
const tagFrom = (source: string, from: number): Tag | undefined => {
  let cut: number | undefined
  let attributes = 0
  for (let at = from; ;) {
    while (at < source.length && (isSpace(source.charCodeAt(at)) || source.charCodeAt(at) === SLASH)) at++
    if (at >= source.length) return undefined
    if (source.charCodeAt(at) === GREATER) return { end: at + 1, cut }
    if (++attributes > ATTRIBUTES_MAX) cut ??= at
    at++
    for (; at < source.length; at++) {
      const code = source.charCodeAt(at)
      if (isSpace(code) || code === SLASH || code === GREATER || code === EQUALS) break
    }
    while (isSpace(source.charCodeAt(at))) at++
    if (source.charCodeAt(at) !== EQUALS) continue
    at++
    while (isSpace(source.charCodeAt(at))) at++
    const quote = source[at]
    if (quote === '"' || quote === "'") {
      const close = source.indexOf(quote, at + 1)
      if (close < 0) return undefined
      at = close + 1
    } else {
      while (at < source.length && !isSpace(source.charCodeAt(at)) && source.charCodeAt(at) !== GREATER) at++
    }
  }
}

/** Returns the offset of the closing tag of raw text, or the end of the source. */
const endOfRaw = (source: string, name: string, from: number): number => {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi")
  closing.lastIndex = from
  return closing.exec(source)?.index ?? source.length
}

const COMMENT_END = /--!?>/g
const GIST = /^<script\b[^>]*\bsrc\s*=\s*["']?(https:\/\/gist\.github\.com\/[\w./-]{1,200})/i

/** HTML that a parser reads in linear time, without the text of scripts. */
export interface BoundedHtml {
  readonly html: string
  /** True when tags or attributes beyond a limit were left out. */
  readonly isCut: boolean
}

/** The elements that are open, by their tags alone. */
class OpenElements {
  readonly #names: Array<string> = []
  readonly #counts = new Map<string, number>()
  readonly #formatting = new Map<string, number>()
  #formattingOpen = 0

  /** Returns false for an element that would nest too deeply. */
  open(name: string): boolean {
    if (FORMATTING.has(name)) {
      if (this.#formattingOpen >= FORMATTING_MAX) return false
      this.#formattingOpen++
      this.#formatting.set(name, (this.#formatting.get(name) ?? 0) + 1)
      return true
    }
    if (VOID.has(name) || CLOSED_BY_SIBLINGS.has(name)) return true
    if (this.#names.length >= DEPTH_MAX) return false
    this.#names.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    return true
  }

  close(name: string): void {
    const formatting = this.#formatting.get(name) ?? 0
    if (formatting > 0) {
      this.#formatting.set(name, formatting - 1)
      this.#formattingOpen--
    }
    if ((this.#counts.get(name) ?? 0) === 0) return
    for (let last = this.#names.pop(); last !== undefined; last = this.#names.pop()) {
      this.#counts.set(last, (this.#counts.get(last) ?? 1) - 1)
      if (last === name) return
    }
  }
}

/**
 * Prepares HTML for the parser, which takes quadratic time for deep elements, open formatting and many attributes: leaves
 * these out beyond a limit, and scripts, styles and comments without a meaning always. Keeps all other text.
 */
export const boundedHtml = (source: string): BoundedHtml => {
  const parts: Array<string> = []
  const elements = new OpenElements()
  let isCut = false
  let at = 0
  while (at < source.length) {
    const tag = source.indexOf("<", at)
    if (tag < 0) break
    parts.push(source.slice(at, tag))
    at = tag
    const isClosing = source.charCodeAt(tag + 1) === SLASH
    const begin = isClosing ? tag + 2 : tag + 1
    if (!isLetter(source.charCodeAt(begin))) {
      const next = source[tag + 1]
      if (source.startsWith("<!--", tag)) {
        COMMENT_END.lastIndex = tag + 2
        const end = COMMENT_END.exec(source)
        if (end === null) return { html: parts.join(""), isCut: true }
        const text = source.slice(tag + 4, Math.max(tag + 4, end.index))
        if (MEANT_COMMENT.test(text.slice(0, 40))) parts.push(`<!--${text}-->`)
        at = COMMENT_END.lastIndex
      } else if (next === "!" || next === "?" || (isClosing && begin < source.length)) {
        const end = source.indexOf(">", tag)
        if (end < 0) return { html: parts.join(""), isCut: true }
        at = end + 1
      } else {
        parts.push("&lt;")
        at = tag + 1
      }
      continue
    }
    let nameEnd = begin
    for (; nameEnd < source.length; nameEnd++) {
      const code = source.charCodeAt(nameEnd)
      if (isSpace(code) || code === SLASH || code === GREATER) break
    }
    const name = source.slice(begin, Math.min(nameEnd, begin + 64)).toLowerCase()
    const end = tagFrom(source, nameEnd)
    if (end === undefined) return { html: parts.join(""), isCut: true }
    at = end.end
    const text = end.cut === undefined ? source.slice(tag, at) : `${source.slice(tag, end.cut)}>`
    if (end.cut !== undefined) isCut = true
    if (isClosing) {
      elements.close(name)
      if (!LEFT_OUT.has(name) && !RAW.has(name)) parts.push(text)
      continue
    }
    if (RAW.has(name)) {
      const raw = endOfRaw(source, name, at)
      if (name === "iframe") parts.push(text, "</iframe>")
      const gist = name === "script" ? GIST.exec(text) : null
      if (gist !== null) parts.push(`<iframe src="${gist[1]}"></iframe>`)
      at = raw
      continue
    }
    if (LEFT_OUT.has(name)) continue
    if (elements.open(name)) parts.push(text)
    else isCut = true
  }
  parts.push(source.slice(at))
  return { html: parts.join(""), isCut }
}
