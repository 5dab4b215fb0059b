import type { Html, Nodes, Root, RootContent } from "mdast"
import { type Extension as FromMarkdown, fromMarkdown } from "mdast-util-from-markdown"
import { gfmFootnoteFromMarkdown } from "mdast-util-gfm-footnote"
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough"
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item"
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item"
import type { Extension } from "micromark-util-types"
import { autolinks, autolinksFromMarkdown } from "./autolinks.ts"
import { delimiterRuns } from "./delimiterRuns.ts"
import { costOf, COST_MAX } from "./estimatedCost.ts"
import { footnotes, namesOf, type Parser } from "./footnotes.ts"
import { closedNamesIn, htmlConstructs } from "./htmlConstructs.ts"
import { LINE_ENDING } from "./lineEndings.ts"
import { before, bounds, makeWork, TooComplex } from "./parserLimits.ts"
import { tables, tablesFromMarkdown } from "./tables.ts"
import { underlineFromMarkdown } from "./underline.ts"

/** Consecutive blocks of a text, read by themselves. */
export interface Part {
  readonly root: Root
  /** The number of lines before it in the text. */
  readonly linesBefore: number
}

/** The facts about a whole text that its parts need: targets of references, as the parser names them, and HTML. */
interface WholeText {
  readonly links: Set<string>
  readonly footnotes: Set<string>
  /** The names of its closing tags. */
  readonly closedNames: ReadonlySet<string>
  /** Extensions that note more than the tree has. */
  readonly notes: ReadonlyArray<FromMarkdown>
}

/** Gives a part the definitions of the other parts before its text is read, and collects those of the part itself. */
const sharing = (whole: WholeText): Extension & { readonly learn: () => void } => {
  const names = namesOf(whole.footnotes)
  let parser: Parser | undefined
  let isTold = false
  return {
    document: before("definitionsOf", "[", function () {
      parser = this.parser
      parser.gfmFootnotes = names
    }),
    contentInitial: before("definitionsOf", "[", function () {
      parser = this.parser
    }),
    text: before("definitionsFor", "[]", function () {
      if (isTold) return
      isTold = true
      const it: Parser = this.parser
      it.defined.push(...whole.links)
      it.gfmFootnotes = names
    }),
    learn: () => {
      for (const link of parser?.defined ?? []) whole.links.add(link)
    }
  }
}

const BREAK = /^<br\s*\/?>$/i

/** Makes a plain `<br>` a hard break instead of HTML. */
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
      autolinks(source),
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
      autolinksFromMarkdown,
      breaksFromMarkdown,
      ...whole.notes
    ]
  })
  learn()
  return root
}

/** A blank line before a line that continues nothing, except perhaps fenced code or a block of HTML. */
const BOUNDARY = /\n[ \t]*\r?\n(?=[^\s*+\-\d])/g

/** Sizes of a part, in characters and blocks: small enough for a quick parse, large enough to pay. */
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

/** Returns true when the part ends within HTML or code that the blank line at its end does not close. */
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
  /** The number of definitions known after it. */
  readonly known: number
}

const sizeOf = ({ footnotes, links }: WholeText) => links.size + footnotes.size

/** Reads a text part by part, in linear time where the parser alone would take longer. */
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

const wholeText = (source: string, notes: ReadonlyArray<FromMarkdown> = []): WholeText => ({
  links: new Set(),
  footnotes: new Set(),
  closedNames: closedNamesIn(source),
  notes
})

const assertReadable = (source: string) => {
  if (costOf(source) > COST_MAX) throw new TooComplex()
}

/** Runs a read and throws `TooComplex` when it overflows the stack in spite of the bounds. */
const bounded = <A>(read: () => A): A => {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) throw new TooComplex()
    throw error
  }
}

/**
 * Parses Markdown: CommonMark 0.31, tables, strikethrough, footnotes and bare addresses of GFM, `++underline++`, and task
 * lists, which the service refuses. Takes linear time. Throws {@link TooComplex} and nothing else.
 *
 * The parser is micromark with its quadratic parts replaced or counted, rather than the stock parser behind a deadline:
 * the same text must be accepted or refused on every machine, however fast it is. The deadline of the threads is a second
 * wall.
 */
export const parse = (
  source: string,
  partChars = PART_CHARS,
  notes: ReadonlyArray<FromMarkdown> = []
): ReadonlyArray<Part> => {
  assertReadable(source)
  const whole = wholeText(source, notes)
  return bounded(() => {
    const parts = [...partsOf(withoutMark(source), whole, partChars)]
    const isWhole = ({ known, text }: TextPart) => known === sizeOf(whole) || !text.includes("[")
    return parts.map((part) => ({
      root: isWhole(part) ? part.root : parsePart(part.text, whole),
      linesBefore: part.linesBefore
    }))
  })
}

/** Yields the blocks of a text without definitions, parsed a few at a time as the caller takes them. */
export function* blocksOf(source: string): Generator<RootContent> {
  const parts = partsOf(withoutMark(source), wholeText(source), FEW_CHARS)
  for (;;) {
    const next = bounded(() => parts.next())
    if (next.done === true) return
    yield* next.value.root.children
  }
}
