import { htmlTree } from "../../../../src/publishing/imports/conversion/html/htmlTree.ts"
import { htmlBlocks } from "../../../../src/publishing/imports/conversion/html/toNodes.ts"
import { EmbeddedPictures } from "../../../../src/publishing/imports/conversion/html/walk.ts"
import { markdownSection } from "../../../../src/publishing/imports/conversion/markdown/markdownSection.ts"
import { Report } from "../../../../src/publishing/imports/conversion/report.ts"
import { type MadeSection, sectionOf } from "../../../../src/publishing/imports/conversion/section.ts"

/** A section as an import makes it, with the codes of its report. */
export interface Converted {
  readonly markdown: string
  readonly codes: ReadonlyArray<string>
  readonly report: Report
  readonly made: MadeSection
}

const convertedBy = (make: (report: Report, pictures: EmbeddedPictures) => MadeSection): Converted => {
  const report = new Report()
  const made = make(report, new EmbeddedPictures())
  const markdown = "markdown" in made ? made.markdown : `refused: ${made.refused}`
  return { markdown, codes: [...new Set(report.lines.map(({ code }) => code))], report, made }
}

export const convertedHtml = (html: string): Converted =>
  convertedBy((report, pictures) =>
    sectionOf(htmlBlocks(htmlTree(html).nodes, { section: "free", report, pictures }))
  )

export const convertedMarkdown = (source: string, notes: Readonly<Record<string, string>> = {}): Converted =>
  convertedBy((report, pictures) =>
    markdownSection(
      source,
      {
        note: (code, excerpt) => report.add(code, "free", excerpt),
        addressOf: (name) => notes[name],
        isMdx: true
      },
      { section: "free", report, pictures }
    )
  )
