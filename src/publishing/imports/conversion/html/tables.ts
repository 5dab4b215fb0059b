import type { NativeNode } from "../../../../../schemas/publishing/posts/NativeDocument.ts"
import { isInline } from "../../../content/native/nativeNodes.ts"
import { hardBreak, type Nodes, paragraph, textNode, tidyLine } from "../nodes.ts"
import { pushAll } from "../stack.ts"
import { attribute, type HtmlElement, type HtmlNode } from "./htmlTree.ts"
import type { Walk } from "./walk.ts"

/** Columns and cells of one table, at most. Larger ones become a paragraph for each row. */
const COLUMNS_MAX = 100
const CELLS_MAX = 5000

const isRow = ({ name }: HtmlElement) => name === "tr"
const isCell = ({ name }: HtmlElement) => name === "td" || name === "th"

const elementsOf = (nodes: ReadonlyArray<HtmlNode>) => nodes.filter((node) => node.type === "element")

/** Returns the rows of a table, without those of tables within it. */
const rowsOf = (table: HtmlElement): ReadonlyArray<HtmlElement> =>
  elementsOf(table.children).flatMap((child) =>
    isRow(child) ? [child] : elementsOf(child.children).filter(isRow)
  )

const spanOf = (cell: HtmlElement, name: string) => {
  const span = Number.parseInt(attribute(cell, name), 10)
  return span > 1 ? Math.min(span, COLUMNS_MAX) : 1
}

interface Grid {
  readonly rows: ReadonlyArray<ReadonlyArray<HtmlElement | undefined>>
  readonly hasSpans: boolean
}

/** Places cells in columns. Spans end at the columns and rows that exist. */
const gridOf = (rows: ReadonlyArray<ReadonlyArray<HtmlElement>>): Grid => {
  let hasSpans = false
  const place = (columns: number) => {
    const grid: Array<Array<HtmlElement | undefined | null>> = rows.map(() => [])
    for (const [at, cells] of rows.entries()) {
      let column = 0
      const row = grid[at] as Array<HtmlElement | undefined | null>
      for (const cell of cells) {
        while (row[column] !== undefined) column++
        const wide = Math.max(1, Math.min(spanOf(cell, "colspan"), columns - column))
        const high = Math.min(spanOf(cell, "rowspan"), rows.length - at)
        if (wide > 1 || high > 1) hasSpans = true
        for (let down = 0; down < high; down++)
          for (let right = 0; right < wide; right++)
            (grid[at + down] as Array<unknown>)[column + right] = down + right === 0 ? cell : null
        column += wide
      }
    }
    return grid
  }
  // Without spans over columns first: those columns exist.
  const columns = Math.min(COLUMNS_MAX, Math.max(...place(1).map(({ length }) => length), 1))
  const grid = place(columns)
  return { rows: grid.map((row) => Array.from(row, (cell) => cell ?? undefined)), hasSpans }
}

/** Returns the content of a cell as one line, and its pictures, which stand below the table. */
const lineOf = (walk: Walk, cell: HtmlElement, pictures: Array<NativeNode>): Nodes => {
  const blocks = walk.blocks(cell.children, 1)
  if (blocks.length > 1 || (blocks[0] !== undefined && blocks[0].type !== "paragraph"))
    walk.note("table_cell_flattened")
  const line: Array<NativeNode> = []
  const add = (nodes: Nodes, between: NativeNode) => {
    if (nodes.length === 0) return
    if (line.length > 0) line.push(between)
    pushAll(line, nodes)
  }
  const visit = (block: NativeNode, between: NativeNode) => {
    const content = block.content ?? []
    if (isInline(block)) add(shownInCell(walk, [block], pictures), between)
    else if (block.type === "codeBlock") {
      const text = content
        .map((it) => it.text ?? "")
        .join("")
        .replaceAll(/\s+/g, " ")
        .trim()
      if (text !== "") add([textNode(text, [{ type: "code" }])], between)
    } else if (content.some(isInline)) add(shownInCell(walk, content, pictures), between)
    else if (block.type === "listItem" || block.type === "tableRow")
      for (const [at, it] of content.entries()) visit(it, at === 0 ? between : textNode(" "))
    else {
      const isList = block.type === "bulletList" || block.type === "orderedList" || block.type === "tableRow"
      for (const [at, it] of content.entries()) visit(it, at === 0 || !isList ? between : textNode("; "))
    }
  }
  for (const block of blocks) visit(block, hardBreak)
  return tidyLine(line)
}

const shownInCell = (walk: Walk, nodes: Nodes, pictures: Array<NativeNode>): Nodes =>
  nodes.flatMap((node): Nodes => {
    if (node.type !== "image") return [node]
    walk.note("table_image_moved")
    pictures.push(paragraph([node]))
    const alt = node.attrs?.["alt"]
    return typeof alt === "string" && alt !== "" ? [textNode(alt, node.marks)] : []
  })

const alignOf = (cell: HtmlElement) => {
  const align =
    attribute(cell, "align") ||
    /text-align\s*:\s*(left|center|right)/i.exec(attribute(cell, "style").slice(0, 500))?.[1]
  const value = (align ?? "").toLowerCase()
  return value === "left" || value === "center" || value === "right" ? value : null
}

/** Converts a table: one header, one line in each cell, pictures below it. */
export const tableNodes = (walk: Walk, table: HtmlElement, depth: number): Nodes => {
  const captions = elementsOf(table.children).filter(({ name }) => name === "caption")
  const caption = captions.flatMap((it) => walk.blocks(it.children, depth))
  const rows = rowsOf(table)
    .map((row) => elementsOf(row.children).filter(isCell))
    .filter((cells) => cells.length > 0)
  const cells = rows.reduce((sum, { length }) => sum + length, 0)
  if (cells === 0) return caption
  // A table of one cell is a box.
  if (cells === 1) return [...caption, ...walk.blocks(rows[0]?.[0]?.children ?? [], depth)]
  const pictures: Array<NativeNode> = []
  const columns = rows.reduce((most, { length }) => Math.max(most, length), 0)
  if (cells > CELLS_MAX || columns > COLUMNS_MAX) {
    walk.note("table_cell_flattened")
    const lines = rows.map((row) => {
      const line: Array<NativeNode> = []
      for (const [at, cell] of row.entries()) {
        if (at > 0) line.push(textNode("; "))
        pushAll(line, lineOf(walk, cell, pictures))
      }
      return line
    })
    return [
      ...caption,
      ...lines
        .map(tidyLine)
        .filter((line) => line.length > 0)
        .map(paragraph),
      ...pictures
    ]
  }
  const grid = gridOf(rows)
  if (grid.hasSpans) walk.note("table_span_flattened")
  const hasHead = elementsOf(table.children).some(
    ({ children, name }) => name === "thead" && elementsOf(children).some(isRow)
  )
  if (!hasHead && rows[0]?.every(({ name }) => name === "th") !== true) walk.note("table_header_made")
  const content = grid.rows.map((row, at) => ({
    type: "tableRow",
    content: row.map((cell) => ({
      type: at === 0 ? "tableHeader" : "tableCell",
      attrs: { align: cell === undefined ? null : alignOf(cell) },
      content: [paragraph(cell === undefined ? [] : lineOf(walk, cell, pictures))]
    }))
  }))
  return [...caption, { type: "table", content }, ...pictures]
}
