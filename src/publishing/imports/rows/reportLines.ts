import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import { REPORT_EXCERPT_MAX, REPORT_LINES_MAX } from "../../../../schemas/publishing/imports/limits.ts"

/** Makes a line about an item that the machinery of imports adds to its report. */
export const metaLine = (
  severity: ReportLine["severity"],
  code: string,
  message: string,
  excerpt = "",
  section: ReportLine["section"] = "meta"
): ReportLine => ({
  severity,
  code,
  section,
  line: null,
  column: null,
  excerpt: excerpt.slice(0, REPORT_EXCERPT_MAX).toWellFormed(),
  message
})

/** Returns the lines of a report with more, at most as many as a report has. Earlier lines with one of these codes go. */
export const withLines = (
  report: ReadonlyArray<ReportLine>,
  lines: ReadonlyArray<ReportLine>,
  replaced: ReadonlySet<string> = new Set()
): ReadonlyArray<ReportLine> =>
  [...report.filter(({ code }) => !replaced.has(code)), ...lines].slice(0, REPORT_LINES_MAX)

/** The sentences about items that are skipped for what is known here, and not for what they are. */
const skipped = {
  duplicate_source_id: "A later item of the file has the same id, and counts.",
  deleted_here: "You deleted the post of an earlier import. Choose it to bring it again."
} as const

/** Returns the line about an item that is skipped. */
export const skippedLine = (code: keyof typeof skipped): ReportLine => metaLine("stop", code, skipped[code])
