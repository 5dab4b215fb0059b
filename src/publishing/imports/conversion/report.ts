import type { ReportLine, Severity } from "../ImportedItem.ts"

/** One sentence for each code of a report, with its severity. Programs get the code, people read the sentence. */
export const reportCodes = {
  // Not imported.
  page: ["stop", "This is a page, not a post"],
  response: ["stop", "This is a response to another text"],
  other_type: ["stop", "This is not a post"],
  trashed: ["stop", "This was in the trash"],
  empty: ["stop", "This has no text and no picture"],
  html_missing: ["stop", "The file with the text is missing"],
  row_missing: ["stop", "The list of posts does not name this text, so it may be for subscribers"],
  source_too_long: ["stop", "The source is longer than 2 MiB"],
  section_too_long: ["stop", "A section is longer than 200,000 characters"],
  too_complex: ["stop", "The text nests too deeply, or takes too long to be read"],
  // Not in the text.
  html_dropped: ["lost", "A part of the page that a text cannot have was left out"],
  subscribe_box_dropped: ["lost", "A box to subscribe or share was left out"],
  shortcode_dropped: ["lost", "A shortcode was left out; text within it stays"],
  comment_dropped: ["lost", "A comment of the author was left out"],
  link_dropped: ["lost", "A link that leads nowhere became text"],
  tracker_dropped: ["lost", "A picture that counts readers was left out"],
  tags_dropped: ["lost", "These tags are not categories here"],
  author_dropped: ["lost", "The post had another author's name"],
  characters_removed: ["lost", "Characters that cannot be shown were removed"],
  style_dropped: ["lost", "The text stays without its style"],
  image_missing: ["lost", "The archive does not have this picture"],
  native_dropped: ["lost", "What Markdown cannot say of the section was left out"],
  image_dropped: ["lost", "A picture was left out"],
  // Said otherwise.
  task_list_plain: ["changed", "Check boxes became ☐ and ☑"],
  footnote_list: ["changed", "Footnotes without a reference became a list"],
  table_image_moved: ["changed", "A picture in a table stands below it"],
  table_cell_flattened: ["changed", "Blocks in a cell became one line"],
  table_span_flattened: ["changed", "Cells over several columns or rows became one cell each"],
  caption_paragraph: ["changed", "A caption became a line in italics"],
  gallery_unrolled: ["changed", "A gallery became single pictures"],
  embed_link: ["changed", "An embedded page became a link"],
  media_link: ["changed", "A sound, a video or a file became a link"],
  callout_quote: ["changed", "A box became a quotation"],
  details_unfolded: ["changed", "A folded part is shown"],
  definition_list: ["changed", "A list of terms became paragraphs"],
  button_link: ["changed", "A button became a link"],
  math_code: ["changed", "A formula stays as its source"],
  shortcode_converted: ["changed", "A shortcode became Markdown"],
  wikilink_converted: ["changed", "A link between notes became a link or its text"],
  text_flattened: ["changed", "The text nested too deeply and became plain paragraphs"],
  title_cut: ["changed", "The title was too long; the whole title stands in the text"],
  description_cut: ["changed", "The description was cut at 500 characters"],
  slug_changed: ["changed", "The address has only a to z, digits and hyphens"],
  file_linked: ["changed", "A file stays as a link"],
  card_unknown: ["changed", "The text of an unknown card stays"],
  // A guess or a decision.
  table_header_made: ["note", "The first row of the table became its header"],
  title_made: ["note", "The title was made of the first words"],
  description_made: ["note", "The description was made of the first sentences"],
  heading_removed: ["note", "The title or the cover is not repeated in the text"],
  date_missing: ["note", "The source has no date"],
  date_future: ["note", "The date is in the future"],
  zone_assumed: ["note", "The date has no time zone and was read as UTC"],
  encoding_guessed: ["note", "The text was not UTF-8; its encoding was guessed"],
  front_matter_repaired: ["note", "The front matter is not correct and was read line by line"],
  email_only: ["note", "This was sent by mail only"],
  access_walled: ["note", "The source shows this to some readers only, so it is paid here"],
  access_assumed: [
    "note",
    "This may be the paid part of a post, so it is paid here; front matter would make it free"
  ],
  access_opened: ["note", "The source showed this to members; it is free as you chose"],
  access_unknown: ["note", "The export of Medium does not say which stories were for members"]
} as const satisfies Record<string, readonly [Severity, string]>

export type ReportCode = keyof typeof reportCodes

type Section = ReportLine["section"]

/** Lines of one report, at most. */
const LINES_MAX = 200
/** UTF-16 code units of an excerpt, at most. */
const EXCERPT_MAX = 120

/** Codes that a report has once for each section and excerpt, however often they happen. */
const ONCE: ReadonlySet<ReportCode> = new Set<ReportCode>([
  "style_dropped",
  "access_walled",
  "access_unknown",
  "characters_removed",
  "shortcode_dropped",
  "html_dropped"
])

/** Returns the beginning of a text as one line. */
const excerptOf = (text: string): string => {
  const line = text
    .slice(0, 4 * EXCERPT_MAX)
    .replaceAll(/\s+/gu, " ")
    .trim()
  if (line.length <= EXCERPT_MAX) return line.toWellFormed()
  return `${line.slice(0, EXCERPT_MAX - 1).replace(/[\uD800-\uDBFF]$/, "")}…`.toWellFormed()
}

/** A place in the source of an item. */
interface Place {
  readonly line: number
  readonly column: number
}

/** Returns a line of a report. */
const reportLine = (
  code: ReportCode,
  section: Section,
  excerpt: string,
  place: Place | undefined
): ReportLine => {
  const [severity, message] = reportCodes[code]
  const { column = null, line = null } = place ?? {}
  return { severity, code, section, line, column, excerpt: excerptOf(excerpt), message }
}

/** Collects the lines of one item, and counts those beyond the limit. */
export class Report {
  readonly lines: Array<ReportLine> = []
  unreported = 0
  readonly #once = new Set<string>()
  #place: Place | undefined

  /** Runs a conversion whose lines are about this place; undefined when it is not known. */
  within<A>(place: Place | undefined, convert: () => A): A {
    this.#place = place
    try {
      return convert()
    } finally {
      this.#place = undefined
    }
  }

  add(code: ReportCode, section: Section, excerpt = ""): void {
    if (ONCE.has(code)) {
      const key = `${code} ${section} ${excerpt}`
      if (this.#once.has(key) || this.#once.size > 1000) return
      this.#once.add(key)
    }
    const line = reportLine(code, section, excerpt, this.#place)
    // The reason why an item is not offered comes first, so that no full report lacks it.
    if (line.severity === "stop") this.lines.splice(0, 0, line)
    else this.lines.push(line)
    this.unreported += this.lines.splice(LINES_MAX).length
  }
}
