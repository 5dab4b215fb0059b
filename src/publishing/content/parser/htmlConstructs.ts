import { htmlFlow, htmlText } from "micromark-core-commonmark"
import type { Code, Construct, Extension, State, Tokenizer } from "micromark-util-types"
import type { Work } from "./parserLimits.ts"

const TAG_NAME = /<\/?([a-z][a-z0-9-]*)/iy
const BREAK = /<br\s*\/?>/iy
const CLOSING_TAG = /<\/([a-z][a-z0-9-]*)/gi
const UNENDED: ReadonlyArray<readonly [begins: string, ends: string]> = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<!", ">"],
  ["<?", "?>"]
]

// The elements of the HTML standard, current and obsolete.
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    "a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body " +
    "br button canvas caption center cite code col colgroup content data datalist dd del details dfn dialog dir div dl " +
    "dt em embed fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header " +
    "hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link listing main map mark marquee " +
    "math menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output " +
    "p param picture plaintext portal pre progress q rb rbc rp rt rtc ruby s samp script search section select " +
    "selectedcontent shadow slot small source spacer span strike strong style sub summary sup svg table tbody td " +
    "template textarea tfoot th thead time title tr track tt u ul var video wbr xmp"
  ).split(" ")
)

/** Returns true for an element of the HTML standard. */
const isElementName = (name: string): boolean => ELEMENTS.has(name.toLowerCase())

const matches = (pattern: RegExp, source: string, offset: number) => {
  pattern.lastIndex = offset
  return pattern.exec(source)
}

/** Returns the names of all closing tags of a text, in lower case. */
export const closedNamesIn = (source: string): ReadonlySet<string> =>
  new Set(Array.from(source.matchAll(CLOSING_TAG), ([, name = ""]) => name.toLowerCase()))

/**
 * Makes a function that finds the next match at or after an offset. It remembers the last one, so that a walk through
 * the text takes linear time.
 */
const finder = (source: string, pattern: RegExp, work: Work) => {
  let from = 0
  let found = -1
  return (offset: number) => {
    if (offset < from || offset > found) {
      from = offset
      found = matches(pattern, source, offset)?.index ?? source.length
      work.again((found - offset) / 8)
    }
    return found
  }
}

const isLineEnding = (code: Code) => code !== null && code < -2
const GREATER = 62

/** Reads everything up to `>` as HTML: a tag that a browser accepts and CommonMark does not. */
const looseTag: Tokenizer = function (effects, ok, nok) {
  const data: State = (code) => {
    if (code === null) return nok(code)
    if (isLineEnding(code)) {
      effects.exit("htmlTextData")
      effects.enter("lineEnding")
      effects.consume(code)
      effects.exit("lineEnding")
      return afterLineEnding
    }
    effects.consume(code)
    if (code !== GREATER) return data
    effects.exit("htmlTextData")
    effects.exit("htmlText")
    return ok
  }
  const afterLineEnding: State = (code) => {
    if (code === null || isLineEnding(code)) return nok(code)
    effects.enter("htmlTextData")
    return data(code)
  }
  return (code) => {
    effects.enter("htmlText")
    effects.enter("htmlTextData")
    return data(code)
  }
}

/**
 * Reads HTML. A known element, a comment, a declaration and an instruction are HTML, as CommonMark has them. Other
 * tag-like text is text only when it holds no `=` and the section, `closedNames`, has no closing tag of its name:
 * `<block hash>` is text, `<x onclick=…>` is HTML. A name with a hyphen may be a custom element, so it is text only
 * alone, such as `<api-key>`. A tag with `=` is HTML even where CommonMark sees none, as browsers are less strict. A
 * plain `<br>` begins no block.
 */
export const htmlConstructs = (source: string, closedNames: ReadonlySet<string>, work: Work): Extension => {
  const nextEnd = finder(source, />/g, work)
  const nextEquals = finder(source, /=/g, work)
  const nextBlankLine = finder(source, /\n[ \t]*\r?\n/g, work)

  /** Returns the offset of the `>` that ends a tag of the same paragraph, or undefined. */
  const endOfTag = (offset: number) => {
    const end = nextEnd(offset)
    return end < source.length && end < nextBlankLine(offset) ? end : undefined
  }
  const isText = (name: string, offset: number, end: number, hasAttributes: boolean) => {
    if (hasAttributes || closedNames.has(name.toLowerCase())) return false
    return !name.includes("-") || source.slice(offset + 1 + name.length, end).trim() === ""
  }

  const guarded = (html: Construct, isFlow: boolean): Construct => {
    const tokenize: Tokenizer = function (effects, ok, nok) {
      const { offset } = this.now()
      const name = matches(TAG_NAME, source, offset)?.[1]
      if (name === undefined) {
        if (!isFlow) {
          const ends = UNENDED.find(([begins]) => source.startsWith(begins, offset))?.[1]
          const end = ends === undefined ? offset : source.indexOf(ends, offset)
          work.again((end < 0 ? source.length : end) - offset)
        }
        return html.tokenize.call(this, effects, ok, nok)
      }
      if (isFlow && matches(BREAK, source, offset) !== null) return nok
      const end = endOfTag(offset)
      const hasAttributes = end !== undefined && nextEquals(offset) < end
      const isKnown = isElementName(name)
      if (!isKnown && (end === undefined || isText(name, offset, end, hasAttributes))) return nok
      if (isFlow || !hasAttributes) return html.tokenize.call(this, effects, ok, nok)
      return effects.attempt(html, ok, effects.attempt({ tokenize: looseTag }, ok, nok))
    }
    return { ...html, name: isFlow ? "htmlElementFlow" : "htmlElementText", tokenize }
  }
  return {
    disable: { null: ["htmlFlow", "htmlText"] },
    flow: { 60: guarded(htmlFlow, true) },
    // After autolinks.
    text: { 60: { ...guarded(htmlText, false), add: "after" } }
  }
}
