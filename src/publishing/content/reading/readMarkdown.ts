import type { RootContent } from "mdast"
import { costOf, isPlain } from "../parser/estimatedCost.ts"
import { blocksOf, parse, type Part } from "../parser/parse.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { excerptOf } from "./excerpt.ts"
import { plainExcerpt } from "./plainExcerpt.ts"
import { emptyReading, type SectionReading } from "./sectionReading.ts"
import { firstImageIn, unsupportedIn } from "./unsupported.ts"

/** Returns the reading of a parsed section. */
export const readingOf = (parts: ReadonlyArray<Part>): SectionReading => {
  const roots = parts.map(({ root }) => root)
  const blocks: ReadonlyArray<RootContent> = roots.flatMap(({ children }) => children)
  return {
    unsupported: unsupportedIn(parts),
    isTooComplex: false,
    firstImage: firstImageIn(roots),
    excerpt: excerptOf(blocks)
  }
}

/** As {@link readMarkdown}, always with a parse of the whole section. */
export const readParsed = (source: string): SectionReading => readingOf(parse(source))

const unlessTooComplex = (read: () => SectionReading): SectionReading => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return { ...emptyReading, isTooComplex: true }
  }
}

const read = (source: string) => unlessTooComplex(() => readParsed(source))

/** Reads as much of plain prose as its excerpt needs, and returns undefined for other text. */
const readPlain = (source: string): SectionReading | undefined =>
  isPlain(source)
    ? unlessTooComplex(() => ({
        ...emptyReading,
        excerpt: plainExcerpt(source) ?? excerptOf(blocksOf(source))
      }))
    : undefined

/**
 * Reads a section of Markdown: its unsupported features with lines and columns, its first image and its excerpt. Plain
 * prose is parsed as far as its excerpt needs. Never throws.
 *
 * Supports the Markdown of spec 2.7 and the rest of CommonMark: thematic breaks, setext headings, tilde fences and
 * indented code, hard breaks, reference links and images, autolinks, character references. `htmlConstructs` says which
 * tag-like text is HTML. A plain `<br>` is a hard break anywhere.
 */
export const readMarkdown = (source: string): SectionReading => readPlain(source) ?? read(source)

/** Estimated µs, and characters of prose, up to which a section is read in place. */
const QUICK_MICROS = 5000
const QUICK_CHARS = 50_000

/** As {@link readMarkdown}; returns undefined for a section that would delay other requests. */
export const readQuickly = (source: string): SectionReading | undefined => {
  if (source.length > QUICK_CHARS) return undefined
  return readPlain(source) ?? (costOf(source) <= QUICK_MICROS ? read(source) : undefined)
}
