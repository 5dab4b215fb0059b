import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { FrontMatter } from "../content/reading/frontMatter.ts"
import type {
  UnsupportedFeature,
  UnsupportedMarkdown,
  WrittenReading
} from "../content/reading/sectionReading.ts"

/** Maximum number of places of one section that an answer names, so that it is never larger than the section. */
const PLACES_MAX = 100

/** One sentence for each unsupported feature: the way to write the same in Markdown (spec 2.7). */
const remedies: Readonly<Record<UnsupportedFeature, string>> = {
  html: "Write HTML as Markdown, or put it in backticks",
  task_list: "Write a task list as an ordinary list",
  table_cell_image: "Move the image out of the table",
  table_row_too_long: "Give the row at most as many cells as the header; write a literal pipe as \\|",
  table_cell_code_whitespace: "Remove spaces and line breaks at the ends of code in a table cell",
  footnote: "Write a footnote as text in parentheses or as a link",
  link_target:
    "Link to an https:// address, a path such as /about, a heading such as #part-two, or a mailto:, tel: or nano: address",
  image_target: "Upload the image, or write its https:// address"
}

/** Returns one error for each place, in the order of the text (spec 4.3.5). */
const unsupportedErrors = (
  field: string,
  unsupported: ReadonlyArray<UnsupportedMarkdown>
): ReadonlyArray<FieldError> => {
  const more = unsupported.length - PLACES_MAX
  return unsupported.slice(0, PLACES_MAX).map(({ column, feature, line }, index) => {
    const rest = more > 0 && index === PLACES_MAX - 1 ? `; and ${more} more places` : ""
    const place = `line ${line}, column ${column}${rest}`
    const message = `${remedies[feature]} (${feature} at ${place})`
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
