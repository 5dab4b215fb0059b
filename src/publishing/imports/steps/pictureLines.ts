import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import type { WholeItemRow } from "../rows/itemRow.ts"
import { metaLine } from "../rows/reportLines.ts"

const sentences = {
  attachment_kept: "The post has a file with this name already, and keeps it.",
  attachment_missing: "The file for buyers is not in the archive, or it is damaged.",
  attachment_refused: "The service does not take the file for buyers, or the post has no paid text.",
  image_missing: "The bytes of the picture are here no more.",
  image_refused: "The service does not take the picture.",
  storage_full: "The storage of the account is full."
} as const

const isTold = (code: string | null): code is keyof typeof sentences =>
  code !== null && Object.hasOwn(sentences, code)

/** Returns a line for each picture and attachment that was collected and not admitted, in whichever turn that was. */
export const linesOf = ({ content, pictures }: WholeItemRow): ReadonlyArray<ReportLine> =>
  pictures.flatMap(({ code, format, index }) => {
    // The lines about pictures that were not collected are there already.
    if (format === null || !isTold(code)) return []
    const name = content.attachments[index - content.images.length]?.name
    const severity = code === "attachment_kept" ? "note" : "lost"
    return name === undefined
      ? metaLine(severity, code, sentences[code], content.images[index]?.alt ?? "")
      : metaLine(severity, code, sentences[code], name, "paid")
  })
