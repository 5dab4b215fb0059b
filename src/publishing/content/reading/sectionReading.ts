/** What a section of Markdown must not hold (specification 2.7). */
export type UnsupportedFeature =
  | "html"
  | "task_list"
  | "table_cell_image"
  | "table_row_too_long"
  | "table_cell_code_whitespace"
  | "footnote"

/** Where an unsupported feature begins; line and column count from 1, columns in UTF-16 code units. */
export interface UnsupportedMarkdown {
  readonly feature: UnsupportedFeature
  readonly line: number
  readonly column: number
}

/** What is known of a section of Markdown from its source. */
export interface SectionReading {
  /** Every unsupported feature, in the order of the text. */
  readonly unsupported: ReadonlyArray<UnsupportedMarkdown>
  /** True when it nests or repeats its marks so that it cannot be read in reasonable time; nothing else is known then. */
  readonly isTooComplex: boolean
  /** The URL of the first image as it is written, for `ogImageEffective`. */
  readonly firstImage: string | null
  /** Its first words as plain text, at most 300 characters; empty when it has none. */
  readonly excerpt: string
}

/** What is known of a section that is empty. */
export const emptyReading: SectionReading = {
  unsupported: [],
  isTooComplex: false,
  firstImage: null,
  excerpt: ""
}

/** What is known of a native document: what it is in Markdown, and of that what is known of any. */
export interface NativeReading extends SectionReading {
  /** As much as Markdown can say of it, and the text of the rest. */
  readonly markdown: string
  /** Codes of what Markdown cannot say, sorted; none when it gives the same document again. */
  readonly unsupportedFeatures: ReadonlyArray<string>
}
