import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"

/** The names of the columns. */
export const REPORT_COLUMNS = [
  "ordinal",
  "sourceId",
  "title",
  "severity",
  "code",
  "section",
  "line",
  "column",
  "excerpt",
  "message"
]

/** Returns the cells of a line of the report of an item, in the order of the columns. */
export const reportCells = (
  {
    ordinal,
    source_id,
    title
  }: { readonly ordinal: number; readonly source_id: string; readonly title: string },
  line: ReportLine
): ReadonlyArray<string> => [
  String(ordinal),
  source_id,
  title,
  line.severity,
  line.code,
  line.section,
  line.line === null ? "" : String(line.line),
  line.column === null ? "" : String(line.column),
  line.excerpt,
  line.message
]
