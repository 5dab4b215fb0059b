import type { Nodes, Root, TableCell } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import { gfmFootnoteFromMarkdown } from "mdast-util-gfm-footnote"
import { gfmTableFromMarkdown } from "mdast-util-gfm-table"
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item"
import { gfmFootnote } from "micromark-extension-gfm-footnote"
import { gfmTable } from "micromark-extension-gfm-table"
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item"
import { isHtmlElement } from "./htmlElements.ts"
import { bounds, type ParserExtension, TooComplex } from "./markdownBounds.ts"

/** What a section must not hold (specification 2.7). */
type UnsupportedFeature =
  | "html"
  | "task_list"
  | "table_cell_image"
  | "table_row_too_long"
  | "table_cell_code_whitespace"
  | "footnote"

/** Where an unsupported feature begins; line and column count from 1. */
export interface UnsupportedMarkdown {
  readonly feature: UnsupportedFeature
  readonly line: number
  readonly column: number
}

/** What is known of a section of Markdown from its source. */
export interface InspectedMarkdown {
  readonly unsupported: ReadonlyArray<UnsupportedMarkdown>
  /** The URL of the first image, for `ogImageEffective`. */
  readonly firstImage: string | null
  /** True when it nests so that it cannot be read in reasonable time; nothing else is known of it then. */
  readonly isTooComplex: boolean
}

// Emphasis and strikethrough are neither refused nor do they change what is, and they are the slowest to find.
const withoutAttention: ParserExtension = { disable: { null: ["attention"] } }

const parse = (source: string): Root =>
  fromMarkdown(source, {
    extensions: [withoutAttention, gfmTable(), gfmTaskListItem(), gfmFootnote(), bounds()],
    mdastExtensions: [gfmTableFromMarkdown(), gfmTaskListItemFromMarkdown(), gfmFootnoteFromMarkdown()]
  })

/**
 * Every unsupported feature and every image begins with one of these, so most sections need no parse: `<` of HTML
 * and autolinks, `|` or the aligning `:` of a table, the box of a task, which may hold the end of a line, the mark of
 * a footnote, `![` of an image.
 */
const NEEDS_A_LOOK = /[<|]|:-|-:|\[[ \txX]\]|\[[ \t]*[\r\n]|\[\^|!\[/

const BREAK = /<br\s*\/?>/gi

/** A block that begins with a break holds the lines after it, too. */
const isPlainHtml = (html: string) => !isHtmlElement(html.replaceAll(BREAK, " "))

/** In a cell, white space at the ends of inline code would be lost when the table is written again. */
const isPaddedCode = (code: string) => code !== code.trim() || code.includes("\n")

const featuresOf = (node: Nodes, cell: TableCell | undefined): UnsupportedFeature | undefined => {
  switch (node.type) {
    case "html":
      return isPlainHtml(node.value) ? undefined : "html"
    case "listItem":
      return typeof node.checked === "boolean" ? "task_list" : undefined
    case "footnoteDefinition":
    case "footnoteReference":
      return "footnote"
    case "image":
    case "imageReference":
      return cell === undefined ? undefined : "table_cell_image"
    case "inlineCode":
      return cell !== undefined && isPaddedCode(node.value) ? "table_cell_code_whitespace" : undefined
    default:
      return undefined
  }
}

/** The first row is the header; a longer row would lose its last cells. */
const longRows = (node: Nodes): ReadonlyArray<Nodes> => {
  if (node.type !== "table") return []
  const [header, ...rows] = node.children
  return rows.filter((row) => row.children.length > (header?.children.length ?? 0))
}

const at = (feature: UnsupportedFeature, node: Nodes): UnsupportedMarkdown => ({
  feature,
  line: node.position?.start.line ?? 1,
  column: node.position?.start.column ?? 1
})

/** Reads a section once: everything in it that is not supported, in the order of the text, and its first image. */
export const inspectMarkdown = (source: string): InspectedMarkdown => {
  if (!NEEDS_A_LOOK.test(source)) return { unsupported: [], firstImage: null, isTooComplex: false }
  try {
    return inspectParsed(source)
  } catch (error) {
    // A stack that overflows in spite of the bounds is of the same kind.
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error
    return { unsupported: [], firstImage: null, isTooComplex: true }
  }
}

/** As `inspectMarkdown`, and always by parsing. */
export const inspectParsed = (source: string): InspectedMarkdown => inspectTree(parse(source))

/** What a parsed section holds. */
export const inspectTree = (root: Root): InspectedMarkdown => {
  const unsupported: Array<UnsupportedMarkdown> = []
  const definitions = new Map<string, string>()
  let firstImage: string | { readonly reference: string } | null = null

  // A stack and not recursion: how deep a text nests is for its author to choose.
  const stack: Array<{ readonly node: Nodes; readonly cell: TableCell | undefined }> = [
    { node: root, cell: undefined }
  ]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node } = next
    const cell = node.type === "tableCell" ? node : next.cell
    const feature = featuresOf(node, cell)
    if (feature !== undefined) unsupported.push(at(feature, node))
    for (const row of longRows(node)) unsupported.push(at("table_row_too_long", row))
    if (node.type === "definition" && !definitions.has(node.identifier))
      definitions.set(node.identifier, node.url)
    if (node.type === "image") firstImage ??= node.url
    if (node.type === "imageReference") firstImage ??= { reference: node.identifier }
    if ("children" in node) for (const child of node.children.toReversed()) stack.push({ node: child, cell })
  }

  return {
    unsupported: unsupported.toSorted((a, b) => a.line - b.line || a.column - b.column),
    firstImage:
      typeof firstImage === "object" && firstImage !== null
        ? (definitions.get(firstImage.reference) ?? null)
        : firstImage,
    isTooComplex: false
  }
}
