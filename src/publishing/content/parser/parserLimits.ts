import { codeText } from "micromark-core-commonmark"
import type { Construct, Event, Extension, TokenizeContext, Tokenizer } from "micromark-util-types"

/** A text that nests, or repeats its marks, so that it cannot be read in reasonable time. */
export class TooComplex extends Error {}

/** How far to the right block quotes and lists may nest; every one of them takes a column at least. */
const CONTAINER_COLUMNS_MAX = 500

/** What the parser may look at again in one part of a text: characters, or events that it made of them. */
const AGAIN_MAX = 10_000_000

/** Counts what the parser does over and over. */
export interface Work {
  /** Throws {@link TooComplex} when it has become too much. */
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

/** A construct that matches nothing and stands before others. */
const looking = (name: string, looks: Looks): Construct => {
  const tokenize: Tokenizer = function (_effects, _ok, nok) {
    looks.call(this)
    return nok
  }
  return { name, tokenize, add: "before" }
}

/** A construct that matches nothing and stands before those that begin with one of these characters. */
export const before = (name: string, characters: string, looks: Looks): Record<string, Construct> => {
  const construct = looking(name, looks)
  return Object.fromEntries([...characters].map((character) => [character.charCodeAt(0), construct]))
}

/** Where something may begin within a text: its marks, and the parser's codes for the ends of lines. */
const TEXT_MARKS = [-5, -4, -3, ...[..."!&*<[\\_+~"].map((mark) => mark.charCodeAt(0))]

const isData = (event: Event | undefined) => event?.[1].type === "data"

/** The constructs, where `other` would be tried and nowhere else. */
const within = ({ previous }: Construct, constructs: Record<string, Construct>) =>
  Object.fromEntries(Object.entries(constructs).map(([code, it]) => [code, { ...it, previous }]))

/** The title of a link in parentheses, which the parser looks for up to the end of the paragraph. */
const PARENTHESIZED_TITLE = /\]\([ \t\r\n]*[^ \t\r\n]{0,1000}[ \t\r\n]+\(/y

const codesOf = (characters: string): ReadonlySet<number> =>
  new Set(Array.from(characters, (character) => character.charCodeAt(0)))

/** What may stand before the first item of a line. */
const BEFORE_ITEM = codesOf(" \t>")
const LINE_ENDS = codesOf("\r\n")

const isOpenBracket = (token: TokenizeContext["events"][number][1]) =>
  (token.type === "labelImage" || token.type === "labelLink") && token._balanced !== true

/**
 * Bounds on the work of one parse of `source`, where the parser is quadratic: it reads what is within brackets again
 * for every `]`, titles and code that nobody closes up to the end for every one, and all that is open or was read of
 * a document when a list or a quotation ends.
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

  // Pieces of plain text beside each other are joined at the end of a text, and all after them moves each time.
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

  return {
    document: before("containerBound", "*+->0123456789", function () {
      const { column, line, offset } = this.now()
      if (column > CONTAINER_COLUMNS_MAX) throw new TooComplex()
      // A list within the item that this line begins ends with the line, which makes all events anew.
      if (isWithinNewItem(offset)) work.again(this.events.length)
      if (line <= linesSeen) return
      // The end of a container moves all events, and one that no line says costs more.
      let isLazy = false
      while (linesSeen < line) isLazy = this.parser.lazy[linesSeen++] === true || isLazy
      work.again(this.events.length / (isLazy ? 1 : 32))
    }),
    // An underline looks for its heading among all blocks.
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
