import type { Html, Nodes, Root, RootContent } from "mdast"
import { type Extension as FromMarkdown, fromMarkdown } from "mdast-util-from-markdown"
import { gfmFootnoteFromMarkdown } from "mdast-util-gfm-footnote"
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough"
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item"
import { gfmFootnote } from "micromark-extension-gfm-footnote"
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item"
import type { Construct, Extension, ParseContext, Tokenizer } from "micromark-util-types"
import { delimiterRuns } from "./delimiterRuns.ts"
import { costOf, COST_MAX } from "./estimatedCost.ts"
import { closedNamesIn, htmlConstructs } from "./htmlConstructs.ts"
import { LINE_ENDING } from "./lineEndings.ts"
import { before, bounds, makeWork, TooComplex, type Work } from "./parserLimits.ts"
import { tables, tablesFromMarkdown } from "./tables.ts"
import { underlineFromMarkdown } from "./underline.ts"

/** Consecutive blocks of a text, read by themselves. */
export interface Part {
  readonly root: Root
  /** How many lines of the text are before it. */
  readonly linesBefore: number
}

/** The facts about a whole text that its parts need: targets of references, as the parser names them, and HTML. */
interface WholeText {
  readonly links: Set<string>
  readonly footnotes: Set<string>
  /** The names of its closing tags. */
  readonly closedNames: ReadonlySet<string>
}

type Parser = ParseContext & { gfmFootnotes?: Array<string> }

/** Footnotes (GFM). After an exclamation mark they are searched for from every `]`, so only where there is one. */
const footnotes = (source: string, work: Work): Extension => {
  const { document, text = {} } = gfmFootnote()
  const afterMark = text[93] as Construct
  const tokenize: Tokenizer = function (effects, ok, nok) {
    work.again(this.events.length / 4)
    return afterMark.tokenize.call(this, effects, ok, nok)
  }
  return {
    document,
    text: { 91: text[91], ...(source.includes("![^") ? { 93: { ...afterMark, tokenize } } : {}) }
  }
}

/** Tells a part the definitions of the others, before its text is read, and learns of its own. */
const sharing = (whole: WholeText): Extension & { readonly learn: () => void } => {
  let parser: Parser | undefined
  let isTold = false
  return {
    document: before("definitionsOf", "[", function () {
      parser = this.parser
    }),
    contentInitial: before("definitionsOf", "[", function () {
      parser = this.parser
    }),
    text: before("definitionsFor", "[]", function () {
      if (isTold) return
      isTold = true
      const it: Parser = this.parser
      it.defined.push(...whole.links)
      it.gfmFootnotes = [...(it.gfmFootnotes ?? []), ...whole.footnotes]
    }),
    learn: () => {
      for (const link of parser?.defined ?? []) whole.links.add(link)
      for (const footnote of parser?.gfmFootnotes ?? []) whole.footnotes.add(footnote)
    }
  }
}

const BREAK = /^<br\s*\/?>$/i

/** Plain `<br>` is a hard break, and no HTML. */
const breaksFromMarkdown: FromMarkdown = {
  exit: {
    htmlText(token) {
      const value = this.resume()
      const html = this.stack.at(-1) as Html
      if (BREAK.test(value)) Object.assign(html, { type: "break" })
      html.value = value
      this.exit(token)
    }
  }
}

const parsePart = (source: string, whole: WholeText): Root => {
  const work = makeWork()
  const { learn, ...shared } = sharing(whole)
  const root = fromMarkdown(source, {
    extensions: [
      delimiterRuns,
      htmlConstructs(source, whole.closedNames, work),
      tables(source, work),
      gfmTaskListItem(),
      footnotes(source, work),
      shared,
      bounds(source, work)
    ],
    mdastExtensions: [
      tablesFromMarkdown(source),
      gfmStrikethroughFromMarkdown(),
      gfmTaskListItemFromMarkdown(),
      gfmFootnoteFromMarkdown(),
      underlineFromMarkdown,
      breaksFromMarkdown
    ]
  })
  learn()
  return root
}

/** A blank line before one that goes on with nothing but, perhaps, code in a fence or a block of HTML. */
const BOUNDARY = /\n[ \t]*\r?\n(?=[^\s*+\-\d])/g

/** Small enough for the parser to be quick with, and large enough for it to pay: this long, or of so many blocks. */
const PART_CHARS = 4096
const PART_BLOCKS = 64
const FEW_CHARS = 256

const boundaryAfter = (source: string, from: number, chars: number, blocks: number) => {
  BOUNDARY.lastIndex = from
  for (let seen = 1; BOUNDARY.test(source); seen++) {
    if (seen >= blocks || BOUNDARY.lastIndex >= from + chars) return BOUNDARY.lastIndex
  }
  return source.length
}

/** Whether the last block is HTML or code that goes on with the blank line that the part ends with. */
const isOpen = (root: Root, part: string) => {
  let last: Nodes = root
  for (let next: Nodes | undefined = last; next !== undefined;) {
    last = next
    next = "children" in last ? last.children.at(-1) : undefined
  }
  return (
    (last.type === "html" || last.type === "code") &&
    (last.position?.end.offset ?? part.length) > part.trimEnd().length
  )
}

interface TextPart extends Part {
  readonly text: string
  /** The definitions that are known with it. */
  readonly known: number
}

const sizeOf = ({ footnotes, links }: WholeText) => links.size + footnotes.size

/** Reads a text part by part, which takes linear time where the parser alone would not. */
function* partsOf(source: string, whole: WholeText, partChars: number): Generator<TextPart> {
  let linesBefore = 0
  for (let start = 0; start < source.length;) {
    for (let times = 1; ; times *= 2) {
      const end = boundaryAfter(source, start, times * partChars, times * PART_BLOCKS)
      const text = source.slice(start, end)
      const root = parsePart(text, whole)
      if (end < source.length && isOpen(root, text)) continue
      yield { root, linesBefore, text, known: sizeOf(whole) }
      linesBefore += text.match(LINE_ENDING)?.length ?? 0
      start = end
      break
    }
  }
}

const withoutMark = (source: string) => (source.startsWith("\uFEFF") ? source.slice(1) : source)

const wholeText = (source: string): WholeText => ({
  links: new Set(),
  footnotes: new Set(),
  closedNames: closedNamesIn(source)
})

const assertReadable = (source: string) => {
  if (costOf(source) > COST_MAX) throw new TooComplex()
}

/** Runs what may overflow the stack in spite of the bounds, which is too complex, too. */
const bounded = <A>(read: () => A): A => {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) throw new TooComplex()
    throw error
  }
}

/**
 * Parses Markdown: CommonMark 0.31, tables and strikethrough of GFM, `++underline++`; task lists and footnotes, so that
 * they can be refused. Linear in the length of the text. Throws {@link TooComplex} and nothing else.
 */
export const parse = (source: string, partChars = PART_CHARS): ReadonlyArray<Part> => {
  assertReadable(source)
  const whole = wholeText(source)
  return bounded(() => {
    const parts = [...partsOf(withoutMark(source), whole, partChars)]
    const isWhole = ({ known, text }: TextPart) => known === sizeOf(whole) || !text.includes("[")
    return parts.map((part) => ({
      root: isWhole(part) ? part.root : parsePart(part.text, whole),
      linesBefore: part.linesBefore
    }))
  })
}

/** The blocks of a text without definitions, few at a time and when they are asked for. */
export function* blocksOf(source: string): Generator<RootContent> {
  const parts = partsOf(withoutMark(source), wholeText(source), FEW_CHARS)
  for (;;) {
    const next = bounded(() => parts.next())
    if (next.done === true) return
    yield* next.value.root.children
  }
}
