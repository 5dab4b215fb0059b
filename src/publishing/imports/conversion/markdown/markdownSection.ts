import type { Nodes } from "mdast"
import { mdastOf } from "../../../content/native/toMdast.ts"
import { TooComplex } from "../../../content/parser/parserLimits.ts"
import { markdownOf } from "../../../content/parser/toMarkdown.ts"
import { frontMatterIn } from "../../../content/reading/frontMatter.ts"
import { definitionsIn, unsupportedIn } from "../../../content/reading/unsupported.ts"
import { htmlTree } from "../html/htmlTree.ts"
import { htmlBlocks } from "../html/toNodes.ts"
import type { Conversion } from "../html/walk.ts"
import { isAccepted, isTooLong, type MadeSection, sectionOf } from "../section.ts"
import { pushReversed } from "../stack.ts"
import { type PlacedNode, placedSource, type PlacedSource } from "./codeRanges.ts"
import { type Dialect, plainMarkdown } from "./dialects.ts"
import { markdownHtml } from "./markdownHtml.ts"

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i
const TAG = /<(\/?)([a-z][a-z0-9-]{0,40})(?:[^<>"']|"[^"]*"|'[^']*')*?(\/?)>/gi

/** Counts how many elements of HTML a block leaves open. Scans each block once. */
const openAfter = (block: Nodes, open: number): number => {
  let count = open
  const stack: Array<Nodes> = [block]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === "html")
      for (const [, slash, name = "", own] of next.value.slice(0, 100_000).matchAll(TAG)) {
        if (VOID.test(name) || own === "/") continue
        count = slash === "/" ? Math.max(0, count - 1) : count + 1
      }
    else if ("children" in next) pushReversed(stack, next.children)
  }
  return count
}

/** Returns groups of blocks that have to be written again: with HTML, or with what posts do not have. */
const groupsOf = ({ blocks, lineStarts, parts }: PlacedSource): ReadonlyArray<ReadonlyArray<PlacedNode>> => {
  const lines = unsupportedIn(parts).map(({ line }) => line)
  const groups: Array<Array<PlacedNode>> = []
  let open = 0
  let next = 0
  let isGrouped = false
  for (const block of blocks) {
    // A place belongs to the last block that begins in its line or before it.
    while (next < lines.length && endOfLine(lineStarts, lines[next] ?? 1) <= block.start) next++
    const isUnsupported = next < lines.length && (lineStarts[(lines[next] ?? 1) - 1] ?? 0) < block.end
    if (open > 0 || (isUnsupported && isGrouped)) groups.at(-1)?.push(block)
    else if (isUnsupported) groups.push([block])
    isGrouped = open > 0 || isUnsupported
    if (isGrouped) open = openAfter(block.node, open)
  }
  return groups
}

/** Returns the offset at which the line after this one begins. */
const endOfLine = (starts: ReadonlyArray<number>, line: number) => starts[line] ?? Number.MAX_SAFE_INTEGER

const written = (source: string, conversion: Conversion, firstLine: number | undefined): string => {
  const placed = placedSource(source)
  const groups = groupsOf(placed)
  if (groups.length === 0) return source
  const definitionOf = definitionsIn(placed.blocks.map(({ node }) => node))
  let result = ""
  let at = 0
  let line = 0
  for (const group of groups) {
    const start = group[0]?.start ?? 0
    while ((placed.lineStarts[line + 1] ?? Infinity) <= start) line++
    const place =
      firstLine === undefined
        ? undefined
        : { line: firstLine + line, column: start - (placed.lineStarts[line] ?? 0) + 1 }
    const end = group.at(-1)?.end ?? start
    const html = markdownHtml(
      group.map(({ node }) => node),
      definitionOf
    )
    const nodes = conversion.report.within(place, () => htmlBlocks(htmlTree(html).nodes, conversion))
    const definitions = group
      .filter(({ node }) => node.type === "definition")
      .map((it) => source.slice(it.start, it.end))
    const made = nodes.length === 0 ? "" : markdownOf(mdastOf({ type: "doc", content: nodes })).trimEnd()
    result += source.slice(at, start) + [made, ...definitions].filter((part) => part !== "").join("\n\n")
    at = end
  }
  return result + source.slice(at)
}

/** Writes the whole text again. */
const rewritten = (source: string, conversion: Conversion): MadeSection => {
  const nodes = placedSource(source).blocks.map(({ node }) => node)
  return sectionOf(htmlBlocks(htmlTree(markdownHtml(nodes, definitionsIn(nodes))).nodes, conversion))
}

/** Takes off what a section must not begin and end with: blank lines, and a thematic break that looks like front matter. */
const trimmed = (markdown: string) => markdown.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd()

/** Characters of a source in Markdown, at most. HTML in it may make it longer than a section. */
const SOURCE_CHARS_MAX = 500_000

/**
 * Makes a section of a text in Markdown, which begins in this line of its file. What posts accept stays as its author wrote it;
 * blocks with HTML and dialects of other programs are written again.
 */
export const markdownSection = (
  source: string,
  dialect: Dialect,
  conversion: Conversion,
  firstLine?: number
): MadeSection => {
  try {
    if (source.length > SOURCE_CHARS_MAX) return { refused: "section_too_long" }
    const plain = plainMarkdown(source, dialect)
    // Dialects may have moved the lines.
    const made = written(plain, conversion, plain === source ? firstLine : undefined)
    const markdown = trimmed(made)
    if (isTooLong(markdown)) return { refused: "section_too_long" }
    // A text that was left as it is has nothing that posts do not have.
    const isKept = made === plain && frontMatterIn(markdown) === undefined
    if (isKept || isAccepted(markdown)) return { markdown, isFlattened: false }
    return rewritten(plain, conversion)
  } catch (error) {
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error
    return { refused: "too_complex" }
  }
}
