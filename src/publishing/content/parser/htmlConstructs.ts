import { htmlFlow, htmlText } from "micromark-core-commonmark"
import type { Construct, Extension, Tokenizer } from "micromark-util-types"
import { isElementName } from "./elementNames.ts"
import type { Work } from "./parserLimits.ts"

const TAG_NAME = /<\/?([a-z][a-z0-9-]*)/iy
const BREAK = /<br\s*\/?>/iy
const UNENDED: ReadonlyArray<readonly [begins: string, ends: string]> = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<!", ">"],
  ["<?", "?>"]
]

const matches = (pattern: RegExp, source: string, offset: number) => {
  pattern.lastIndex = offset
  return pattern.exec(source)
}

/**
 * HTML only where a browser would see an element, a comment, a declaration or an instruction. Other tag-like text,
 * such as `<block hash>`, is text, and what follows it on the line is Markdown. A plain `<br>` begins no block.
 */
export const htmlElements = (source: string, work: Work): Extension => {
  const guarded = (html: Construct, isFlow: boolean): Construct => {
    const tokenize: Tokenizer = function (effects, ok, nok) {
      const { offset } = this.now()
      const name = matches(TAG_NAME, source, offset)?.[1]
      if (name !== undefined && !isElementName(name)) return nok
      if (isFlow && matches(BREAK, source, offset) !== null) return nok
      if (!isFlow && name === undefined) {
        const ends = UNENDED.find(([begins]) => source.startsWith(begins, offset))?.[1]
        const end = ends === undefined ? offset : source.indexOf(ends, offset)
        work.again((end < 0 ? source.length : end) - offset)
      }
      return html.tokenize.call(this, effects, ok, nok)
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
