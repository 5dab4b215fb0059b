import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { FrontMatter } from "../content/reading/frontMatter.ts"
import { remedyOf } from "../content/reading/remedies.ts"
import type { UnsupportedMarkdown, WrittenReading } from "../content/reading/sectionReading.ts"

/** Maximum number of places of one section that an answer names, so that it is never larger than the section. */
const PLACES_MAX = 100

/** Returns one error for each place, in the order of the text (spec 4.3.5). */
const unsupportedErrors = (
  field: string,
  unsupported: ReadonlyArray<UnsupportedMarkdown>
): ReadonlyArray<FieldError> => {
  const more = unsupported.length - PLACES_MAX
  return unsupported.slice(0, PLACES_MAX).map((it, index) => {
    const { column, feature, line } = it
    const rest = more > 0 && index === PLACES_MAX - 1 ? `; and ${more} more places` : ""
    const place = `line ${line}, column ${column}${rest}`
    const message = `${remedyOf(it)} (${feature} at ${place})`
    return { field, code: "unsupported_markdown", message, feature, line, column }
  })
}

/** Returns the error of front matter, with which pages of other programs begin, and our own Markdown pages. */
const frontMatterError = (field: string, { lastLine, line }: FrontMatter): FieldError => {
  const lines = line === lastLine ? `line ${line}` : `lines ${line} to ${lastLine}`
  return {
    field,
    code: "front_matter",
    message: `Remove ${lines}: this front matter would be shown as text. Send what it says in the members of the Post, such as \`title\` and \`language\`. If it is text, put it in a code block, or write a line across the page as \`***\`.`,
    line,
    column: 1
  }
}

/** Returns everything in a section of Markdown that keeps it from being saved. */
export const markdownErrors = (
  field: string,
  reading: WrittenReading | undefined
): ReadonlyArray<FieldError> => {
  if (reading === undefined) return []
  const message = "Simplify the section: its brackets, lists or quotations nest too deeply"
  const tooComplex = reading.isTooComplex ? [{ field, code: "too_complex", message }] : []
  const frontMatter = reading.frontMatter === undefined ? [] : [frontMatterError(field, reading.frontMatter)]
  return [...frontMatter, ...tooComplex, ...unsupportedErrors(field, reading.unsupported)]
}
