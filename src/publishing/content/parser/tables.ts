import type { Table } from "mdast"
import type { Extension as FromMarkdown } from "mdast-util-from-markdown"
import { gfmTableFromMarkdown } from "mdast-util-gfm-table"
import { gfmTable } from "micromark-extension-gfm-table"
import type { Construct, Extension, Tokenizer } from "micromark-util-types"
import { LINE_ENDING } from "./lineEndings.ts"
import { TooComplex, type Work } from "./parserLimits.ts"

/** A line that may divide the head of a table from its body: nothing else is in it, but for marks of quotations. */
const DELIMITER_ROW = /^[ \t>]*[-|:][-|: \t]*$/

const table = gfmTable().flow?.["null"] as Construct

/**
 * Tables (GFM), begun only before a line that could divide one: the parser would read every line as the head of a
 * table first. The line may follow `\n`, `\r\n` or `\r`.
 */
export const tables = (source: string, work: Work): Extension => {
  const lines = source.split(LINE_ENDING)
  const isTableNear = (line: number) => DELIMITER_ROW.test(lines[line] ?? "")
  const tokenize: Tokenizer = function (effects, ok, nok) {
    const { line } = this.now()
    // A line that goes on with what it does not belong to has all of that looked at again.
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

/** Cells that a part of a text may have beyond one for each character of it. */
const CELLS_FREE = 10_000

/**
 * Tables as nodes. Who shows one makes all rows as long as the header, so a header of thousands of cells over thousands of
 * short rows would be millions: no more are read than could have been written.
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
