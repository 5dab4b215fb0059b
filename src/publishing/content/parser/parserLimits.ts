import { codeText } from "micromark-core-commonmark"
import type { Construct, Event, Extension, TokenizeContext, Tokenizer } from "micromark-util-types"

/** Thrown for a text whose nesting or repeated marks would take too long to read. */
export class TooComplex extends Error {}

/** The rightmost column of block quotes, lists and footnotes. Each of them takes at least one column. */
const CONTAINER_COLUMNS_MAX = 500

/** Maximum number of characters or events of one part that the parser may visit again. */
const AGAIN_MAX = 10_000_000

/** Counts the repeated work of the parser. */
export interface Work {
  /** Adds repeated work, and throws {@link TooComplex} beyond the limit. */
  readonly again: (much: number) => void
}

export const makeWork = (): Work => {
  let done = 0
  return {
    again: (much) => {
      done += much
      if (done > AGAIN_MAX) throw new TooComplex()
    }
  }
}

type Looks = (this: TokenizeContext) => void

/** Makes a construct that matches nothing and runs before others. */
const looking = (name: string, looks: Looks): Construct => {
  const tokenize: Tokenizer = function (_effects, _ok, nok) {
    looks.call(this)
    return nok
  }
  return { name, tokenize, add: "before" }
}

/** Makes constructs that match nothing and run before those that begin with one of these characters. */
export const before = (name: string, characters: string, looks: Looks): Record<string, Construct> => {
  const construct = looking(name, looks)
  return Object.fromEntries([...characters].map((character) => [character.charCodeAt(0), construct]))
}

/** Codes at which a construct may begin within a text: marks, and the parser's codes of line endings. */
const TEXT_MARKS = [-5, -4, -3, ...[..."!&*<[\\_+~"].map((mark) => mark.charCodeAt(0))]

const isData = (event: Event | undefined) => event?.[1].type === "data"

/** Limits constructs to the places where another construct is tried. */
const within = ({ previous }: Construct, constructs: Record<string, Construct>) =>
  Object.fromEntries(Object.entries(constructs).map(([code, it]) => [code, { ...it, previous }]))

/** The beginning of a link title in parentheses, which the parser searches up to the end of the paragraph. */
const PARENTHESIZED_TITLE = /\]\([ \t\r\n]*[^ \t\r\n]{0,1000}[ \t\r\n]+\(/y

/** The beginning of a footnote. */
const FOOTNOTE = /\[\^[^\s[\]]{1,999}\]:/y

const codesOf = (characters: string): ReadonlySet<number> =>
  new Set(Array.from(characters, (character) => character.charCodeAt(0)))

/** Characters before the first item of a line. */
const BEFORE_ITEM = codesOf(" \t>")
const LINE_ENDS = codesOf("\r\n")

const isOpenBracket = (token: TokenizeContext["events"][number][1]) =>
  (token.type === "labelImage" || token.type === "labelLink") && token._balanced !== true

/**
 * Bounds the quadratic work of one parse of `source`. The parser reads the content of brackets again at every `]`, unclosed
 * titles and code up to the end each time, and all open or earlier events of a document when a list or quotation ends.
 */
export const bounds = (source: string, work: Work): Extension => {
  const distance = (closer: string, from: number) => {
    const at = source.indexOf(closer, from)
    return (at < 0 ? source.length : at) - from
  }
  const endOfTicks = (from: number) => {
    let end = from
    while (source[end] === "`") end++
    return end
  }
  const distanceToTicks = (size: number, from: number) => {
    const ticks = "`".repeat(size)
    let at = source.indexOf(ticks, from + size)
    for (let end = endOfTicks(at); at >= 0 && end - at !== size; end = endOfTicks(at))
      at = source.indexOf(ticks, end)
    return (at < 0 ? source.length : at) - from
  }
  const isWithinNewItem = (offset: number) => {
    let at = offset - 1
    while (at >= 0 && BEFORE_ITEM.has(source.charCodeAt(at))) at--
    return at >= 0 && !LINE_ENDS.has(source.charCodeAt(at))
  }
  let linesSeen = 0

  // The parser joins adjacent pieces of plain text at the end of a text and moves all later events each time.
  const texts = new WeakMap<TokenizeContext, { joined: number; eventsSeen: number }>()
  const joining: Looks = function () {
    const { events } = this
    const text = texts.get(this) ?? { joined: 0, eventsSeen: 0 }
    texts.set(this, text)
    work.again((text.joined * (events.length - text.eventsSeen)) / 32)
    text.eventsSeen = events.length
    if (isData(events.at(-1)) && isData(events.at(-3)) && !isData(events.at(-5))) text.joined++
  }
  const joins = Object.fromEntries(TEXT_MARKS.map((code) => [code, looking("joinBound", joining)]))

  const containing: Looks = function () {
    const { column, line, offset } = this.now()
    if (column > CONTAINER_COLUMNS_MAX) throw new TooComplex()
    // A list within the item of this line ends with the line, which copies all events.
    if (isWithinNewItem(offset)) work.again(this.events.length)
    if (line <= linesSeen) return
    // The end of a container moves all events. A lazy line makes it more expensive.
    let isLazy = false
    while (linesSeen < line) isLazy = this.parser.lazy[linesSeen++] === true || isLazy
    work.again(this.events.length / (isLazy ? 1 : 32))
  }

  return {
    document: {
      ...before("containerBound", "*+->0123456789", containing),
      ...before("footnoteBound", "[", function () {
        FOOTNOTE.lastIndex = this.now().offset
        if (FOOTNOTE.test(source)) containing.call(this)
      })
    },
    // An underline searches all blocks for its heading.
    flow: before("underlineBound", "=-", function () {
      work.again(this.events.length)
    }),
    text: {
      ...joins,
      ...before("bracketBound", "]", function () {
        joining.call(this)
        const { offset } = this.now()
        let at = this.events.length - 1
        while (at >= 0 && !isOpenBracket((this.events[at] as (typeof this.events)[number])[1])) at--
        const open = this.events[at]?.[1].start.offset ?? offset
        work.again(this.events.length - at + (offset - open) / 8 + this.parser.defined.length / 4)
        PARENTHESIZED_TITLE.lastIndex = offset
        if (PARENTHESIZED_TITLE.test(source)) work.again(distance(")", PARENTHESIZED_TITLE.lastIndex))
      }),
      ...within(
        codeText,
        before("codeBound", "`", function () {
          joining.call(this)
          const { offset } = this.now()
          work.again(2 * distanceToTicks(endOfTicks(offset) - offset, offset))
        })
      )
    }
  }
}
