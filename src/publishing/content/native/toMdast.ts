import type {
  BlockContent,
  FootnoteDefinition,
  List,
  ListItem,
  PhrasingContent,
  Root,
  RowContent,
  TableCell
} from "mdast"
import type { NativeMark, NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { isShownTarget, isWeb } from "../html/targets.ts"
import { isFootnoteLabel } from "../parser/footnotes.ts"
import { joinLines, oneLine } from "../parser/lineEndings.ts"
import { attrOf, hasMark, isCell, isInline } from "./nativeNodes.ts"
import { textOf } from "./nativeText.ts"

/** Returns an image, or the description of one whose address Markdown must not have. */
const imageOf = (node: NativeNode): ReadonlyArray<PhrasingContent> => {
  const url = attrOf(node, "src") ?? ""
  const alt = oneLine(attrOf(node, "alt")) ?? ""
  if (isShownTarget(url)) return [{ type: "image", url, alt, title: oneLine(attrOf(node, "title")) }]
  return alt === "" ? [] : [{ type: "text", value: alt }]
}

/** Returns a reference to a footnote, or the words of one whose label Markdown cannot have. */
const referenceOf = (node: NativeNode): ReadonlyArray<PhrasingContent> => {
  const label = attrOf(node, "label") ?? ""
  return isFootnoteLabel(label)
    ? [{ type: "footnoteReference", identifier: label, label }]
    : [{ type: "text", value: `[^${joinLines(label)}]` }]
}

/** The marks of Markdown, from outside in where the order is free. Code is text of another kind. */
const SPANS = ["link", "bold", "italic", "strike", "underline"]

interface Inline {
  readonly node: NativeNode
  readonly marks: ReadonlyArray<NativeMark>
}

const keyOf = ({ attrs, type }: NativeMark) =>
  type === "link" ? `link ${JSON.stringify([attrs?.["href"] ?? "", attrs?.["title"] || null])}` : type

/** Returns false for a link whose address Markdown must not have. */
const isSpan = (mark: NativeMark) => mark.type !== "link" || isShownTarget(attrOf(mark, "href") ?? "")

const spansOf = (node: NativeNode): ReadonlyArray<NativeMark> => {
  const marks = node.marks ?? []
  return SPANS.flatMap((type) => marks.findLast((mark) => mark.type === type && isSpan(mark)) ?? [])
}

const leafOf = ({ node }: Inline): ReadonlyArray<PhrasingContent> => {
  if (node.type === "hardBreak") return [{ type: "break" }]
  if (node.type === "image") return imageOf(node)
  if (node.type === "footnoteReference") return referenceOf(node)
  const value = joinLines(textOf(node))
  if (value === "") return []
  return hasMark(node, "code") ? [{ type: "inlineCode", value }] : [{ type: "text", value }]
}

const spanOf = (mark: NativeMark, children: Array<PhrasingContent>): PhrasingContent => {
  switch (mark.type) {
    case "bold":
      return { type: "strong", children }
    case "italic":
      return { type: "emphasis", children }
    case "strike":
      return { type: "delete", children }
    case "underline":
      return { type: "underline", children }
    default: {
      const title = oneLine(attrOf(mark, "title"))
      return { type: "link", url: attrOf(mark, "href") ?? "", title, children }
    }
  }
}

/**
 * Nests marks, which are sets on each piece of text, into spans. The longest mark is outside, and no mark ends within a
 * link.
 */
const nested = (inlines: ReadonlyArray<Inline>): Array<PhrasingContent> => {
  const result: Array<PhrasingContent> = []
  const runOf = (from: number, key: string) => {
    let end = from
    while (inlines[end]?.marks.some((mark) => keyOf(mark) === key) === true) end++
    return end
  }
  for (let at = 0; at < inlines.length;) {
    const first = inlines[at] as Inline
    let mark: NativeMark | undefined
    let end = at
    for (const it of first.marks) {
      const run =
        it.type === "link" ? runOf(at, keyOf(it)) : withoutSplitLink(inlines, at, runOf(at, it.type))
      if (run > end) [mark, end] = [it, run]
    }
    if (mark === undefined) {
      result.push(...leafOf(first))
      at++
      continue
    }
    const key = keyOf(mark)
    const within = inlines
      .slice(at, end)
      .map(({ marks, node }) => ({ node, marks: marks.filter((it) => keyOf(it) !== key) }))
    const children = nested(within)
    if (children.length > 0) result.push(spanOf(mark, children))
    at = end
  }
  return result
}

const linkKeyOf = (inline: Inline | undefined) => {
  const link = inline?.marks.find(({ type }) => type === "link")
  return link === undefined ? undefined : keyOf(link)
}

/** Returns the end of a run, before a link that continues after it. */
const withoutSplitLink = (inlines: ReadonlyArray<Inline>, from: number, end: number) => {
  const key = linkKeyOf(inlines[end - 1])
  if (key === undefined || linkKeyOf(inlines[end]) !== key) return end
  let start = end
  while (start > from && linkKeyOf(inlines[start - 1]) === key) start--
  return start
}

/** Returns the inline content of a block, and the text of its other content. */
const inlinesOf = (nodes: ReadonlyArray<NativeNode> = []): Array<PhrasingContent> =>
  nested(nodes.flatMap(flat).map((node) => ({ node, marks: spansOf(node) })))

/** Returns the text of a node that Markdown does not have. An address alone is a link. */
const spoken = (node: NativeNode): NativeNode => {
  const text = textOf(node)
  const isAddress = node.content === undefined && isWeb(text)
  return { type: "text", text, ...(isAddress ? { marks: [{ type: "link", attrs: { href: text } }] } : {}) }
}

const flat = (node: NativeNode): ReadonlyArray<NativeNode> => [isInline(node) ? node : spoken(node)]

const itemsOf = (node: NativeNode): Array<ListItem> =>
  (node.content ?? []).map((item) => {
    const children = blocksOf(item.content)
    // Blank lines separate blocks, except a list after the first one.
    return {
      type: "listItem",
      spread: children.slice(1).some((it) => it.type !== "list" || beginsWithNumber(it)),
      children
    }
  })

/** Returns true for a first item such as `- 0. a`, which the parser reads as text right after a line of a paragraph. */
const beginsWithNumber = (list: List): boolean => {
  const first = list.children[0]?.children[0]
  return first?.type === "list" && ((first.ordered === true && first.start !== 1) || beginsWithNumber(first))
}

/** Returns the content of a cell in one line: without images, and with trimmed code. */
const celled = (node: NativeNode): ReadonlyArray<NativeNode> => {
  if (node.type === "image")
    return [{ ...node, type: "text", text: attrOf(node, "alt") || attrOf(node, "src") || "" }]
  return hasMark(node, "code") ? [{ ...node, text: textOf(node).trim() }] : [node]
}

/** Returns the content of a block as one line. */
const lineOf = (block: NativeNode): ReadonlyArray<NativeNode> => {
  if (isInline(block)) return [block]
  return block.content?.some(isInline) === true ? block.content : [spoken(block)]
}

const cellOf = (blocks: ReadonlyArray<NativeNode>): TableCell => ({
  type: "tableCell",
  children: blocks.flatMap((block, at) => [
    ...(at === 0 ? [] : [{ type: "break" as const }]),
    ...inlinesOf(lineOf(block).flatMap(flat).flatMap(celled))
  ])
})

const ALIGN = { left: "left", center: "center", right: "right" } as const

const alignOf = (cell: NativeNode | undefined) => {
  const value = cell && attrOf(cell, "align")
  return value !== undefined && Object.hasOwn(ALIGN, value) ? ALIGN[value as keyof typeof ALIGN] : null
}

/** Makes a table: the header is as long as the longest row, and other nodes become a row or a cell. */
const tableOf = (node: NativeNode): ReadonlyArray<BlockContent> => {
  const rows = (node.content ?? []).map((row) => (row.type === "tableRow" ? (row.content ?? []) : [row]))
  const columns = rows.reduce((most, { length }) => Math.max(most, length), 0)
  if (columns === 0) return []
  const blocksIn = (cell: NativeNode | undefined) =>
    cell === undefined ? [] : isCell(cell) ? (cell.content ?? []) : [cell]
  const children = rows.map((row, at) => ({
    type: "tableRow" as const,
    children: Array.from(at === 0 ? { length: columns } : row, (_, column): RowContent =>
      cellOf(blocksIn(row[column]))
    )
  }))
  const align = Array.from({ length: columns }, (_, column) => alignOf(rows[0]?.[column]))
  return [{ type: "table", align, children }]
}

type Block = BlockContent | FootnoteDefinition

/** Returns blocks. Inline content among them and unknown nodes become paragraphs. */
const blocksOf = (nodes: ReadonlyArray<NativeNode> = []): Array<Block> => nodes.flatMap(blockOf)

const headingLevel = (node: NativeNode) => {
  const level = node.attrs?.["level"]
  return (typeof level === "number" ? Math.min(Math.max(Math.round(level), 1), 6) : 1) as
    | 1
    | 2
    | 3
    | 4
    | 5
    | 6
}

const paragraphOf = (children: Array<PhrasingContent>): ReadonlyArray<BlockContent> =>
  children.length === 0 ? [] : [{ type: "paragraph", children }]

const blockOf = (node: NativeNode): ReadonlyArray<Block> => {
  switch (node.type) {
    case "paragraph":
      return paragraphOf(inlinesOf(node.content))
    case "heading":
      return [{ type: "heading", depth: headingLevel(node), children: inlinesOf(node.content) }]
    case "blockquote":
      return [{ type: "blockquote", children: blocksOf(node.content) }]
    case "bulletList":
    case "taskList": {
      const children = itemsOf(node)
      return children.length === 0
        ? []
        : [{ type: "list", ordered: false, spread: isLoose(children), children }]
    }
    case "orderedList": {
      const children = itemsOf(node)
      const start = node.attrs?.["start"]
      const from = typeof start === "number" && Number.isInteger(start) && start >= 0 ? start : 1
      return children.length === 0
        ? []
        : [{ type: "list", ordered: true, start: from, spread: isLoose(children), children }]
    }
    case "codeBlock": {
      const lang = attrOf(node, "language") || null
      return [{ type: "code", lang, meta: attrOf(node, "meta") || null, value: textOf(node) }]
    }
    case "horizontalRule":
      return [{ type: "thematicBreak" }]
    case "table":
      return tableOf(node)
    case "footnoteDefinition": {
      const label = attrOf(node, "label") ?? ""
      const children = blocksOf(node.content)
      return isFootnoteLabel(label)
        ? [{ type: "footnoteDefinition", identifier: label, label, children }]
        : children
    }
    default:
      if (isInline(node)) return paragraphOf(inlinesOf([node]))
      return node.content === undefined || node.content.some(isInline)
        ? paragraphOf(inlinesOf(lineOf(node)))
        : blocksOf(node.content)
  }
}

const isLoose = (items: ReadonlyArray<ListItem>) => items.some(({ spread }) => spread === true)

/** Converts a native document into a tree of Markdown, with the bare text of content that Markdown cannot express. */
export const mdastOf = (document: NativeNode): Root => ({
  type: "root",
  children: blocksOf(document.content)
})
