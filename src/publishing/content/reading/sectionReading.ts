import type { FrontMatter } from "./frontMatter.ts"

/** A feature that a section of Markdown must not use (spec 2.7). */
export type UnsupportedFeature =
  | "html"
  | "task_list"
  | "table_cell_image"
  | "table_row_too_long"
  | "table_cell_code_whitespace"
  | "link_target"
  | "image_target"

/** The place of an unsupported feature. Line and column count from 1, columns in UTF-16 code units. */
export interface UnsupportedMarkdown {
  readonly feature: UnsupportedFeature
  readonly line: number
  readonly column: number
}

/** The facts about a section of Markdown that its source tells. */
export interface SectionReading {
  /** Every unsupported feature, in the order of the text. */
  readonly unsupported: ReadonlyArray<UnsupportedMarkdown>
  /** True when nesting or repeated marks would take too long to read; the other members are empty then. */
  readonly isTooComplex: boolean
  /** The URL of the first image that could be an `ogImage`, as it is written. */
  readonly firstImage: string | null
  /** Its first words as plain text, at most 300 characters; empty without words. */
  readonly excerpt: string
}

/** The reading of a section of Markdown as its author wrote it. */
export interface WrittenReading extends SectionReading {
  readonly frontMatter?: FrontMatter | undefined
}

/** The reading of an empty section. */
export const emptyReading: SectionReading = {
  unsupported: [],
  isTooComplex: false,
  firstImage: null,
  excerpt: ""
}

/** The reading of a native document: its Markdown, and the reading of that. */
export interface NativeReading extends SectionReading {
  /** The document in Markdown, with the bare text of content that Markdown cannot express. */
  readonly markdown: string
  /** Codes of content that Markdown cannot express, sorted; none when the Markdown gives the same document again. */
  readonly unsupportedFeatures: ReadonlyArray<string>
}
