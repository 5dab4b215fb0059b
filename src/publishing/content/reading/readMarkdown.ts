import type { RootContent } from "mdast"
import { costOf, isPlain } from "../parser/estimatedCost.ts"
import { blocksOf, parse, type Part } from "../parser/parse.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { excerptOf } from "./excerpt.ts"
import { plainExcerpt } from "./plainExcerpt.ts"
import { emptyReading, type SectionReading } from "./sectionReading.ts"
import { firstImageIn, unsupportedIn } from "./unsupported.ts"

/** What is known of a section that was parsed. */
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

/** As {@link readMarkdown}, and always by parsing all of it. */
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

/** Of plain prose, which can hold nothing that is looked for, as much as its excerpt needs. */
const readPlain = (source: string): SectionReading | undefined =>
  isPlain(source)
    ? unlessTooComplex(() => ({
        ...emptyReading,
        excerpt: plainExcerpt(source) ?? excerptOf(blocksOf(source))
      }))
    : undefined

/**
 * Reads a section of Markdown once: everything in it that is not supported, with lines and columns, its first image
 * and its excerpt. Plain prose, which can hold neither, is parsed as far as its excerpt needs. Never throws.
 *
 * Supported is what specification 2.7 lists and whatever else CommonMark has: thematic breaks, setext headings, tilde
 * fences and indented code, hard breaks, reference links and images, autolinks, character references. HTML means an
 * element of the HTML standard or a custom one, a comment, a declaration or an instruction; other tag-like text
 * (`<block hash>`) is text. A plain `<br>` is a hard break anywhere.
 */
export const readMarkdown = (source: string): SectionReading => readPlain(source) ?? read(source)

/** What may be read where it is asked: about three milliseconds of the processor, or prose of so many characters. */
const QUICK_MICROS = 5000
const QUICK_CHARS = 50_000

/** As {@link readMarkdown}; undefined of a section that takes so long that others would have to wait. */
export const readQuickly = (source: string): SectionReading | undefined => {
  if (source.length > QUICK_CHARS) return undefined
  return readPlain(source) ?? (costOf(source) <= QUICK_MICROS ? read(source) : undefined)
}
