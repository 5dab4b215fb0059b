import type { Table } from "mdast"
import type { Extension as FromMarkdown } from "mdast-util-from-markdown"
import { gfmTableFromMarkdown } from "mdast-util-gfm-table"
import { gfmTable } from "micromark-extension-gfm-table"
import type { Construct, Extension, Tokenizer } from "micromark-util-types"
import { LINE_ENDING } from "./lineEndings.ts"
import { TooComplex, type Work } from "./parserLimits.ts"

/** A line that may divide the head of a table from its body, after marks of quotations. */
const DELIMITER_ROW = /^[ \t>]*[-|:][-|: \t]*$/

const table = gfmTable().flow?.["null"] as Construct

/**
 * Tables (GFM) that begin only before a dividing line; the stock construct reads every line as the head of a table first.
 * The line may follow `\n`, `\r\n` or `\r`.
 */
export const tables = (source: string, work: Work): Extension => {
  const lines = source.split(LINE_ENDING)
  const isTableNear = (line: number) => DELIMITER_ROW.test(lines[line] ?? "")
  const tokenize: Tokenizer = function (effects, ok, nok) {
    const { line } = this.now()
    // A lazy line makes the parser visit the whole table again.
    if (this.parser.lazy[line] === true) work.again(this.events.length)
    return isWithinTable(this.events) || isTableNear(line) ? table.tokenize.call(this, effects, ok, nok) : nok
  }
  return { flow: { null: { ...table, tokenize } } }
}

const isWithinTable = (events: ReadonlyArray<readonly [string, { readonly type: string }, unknown]>) => {
  let at = events.length - 1
  while (events[at]?.[1].type === "lineEnding" || events[at]?.[1].type === "linePrefix") at--
  const type = events[at]?.[1].type
  return type === "tableHead" || type === "tableRow"
}

/** Maximum number of cells of a part, in addition to one for each of its characters. */
const CELLS_FREE = 10_000

/**
 * Makes tables nodes. Renderers fill all rows up to the length of the header, so that thousands of header cells over
 * thousands of short rows would make millions of cells. It reads no more cells than the author could have written.
 */
export const tablesFromMarkdown = (source: string): FromMarkdown => {
  const { enter, ...table } = gfmTableFromMarkdown()
  const enterRow = enter?.["tableRow"]
  let cells = 0
  return {
    ...table,
    enter: {
      ...enter,
      tableRow(token) {
        cells += (this.stack.at(-1) as Table).align?.length ?? 0
        if (cells > CELLS_FREE + source.length) throw new TooComplex()
        enterRow?.call(this, token)
      }
    }
  }
}
