import { EXCERPT_MAX, isTooLong, shortened } from "./excerpt.ts"

const BLANK = /^[ \t\r]*$/
const HEADING = /^#{1,6}[ \t]/
/** Begins neither a list nor any other block than a paragraph, which it may be in the middle of. */
const PROSE = /^[\p{L}"'(“‘«]/u
/** What may mean something within a line. */
const MARK = /[*_`~[\]\\&<|\0]|\+\+/
/** Ends a line by itself. */
const RETURN = /\r(?!$)/
/** What makes a heading of the paragraph above it. */
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t\r]*$/

/** The line that begins at an offset, without its end. */
const lineAt = (source: string, start: number) => {
  const end = source.indexOf("\n", start)
  return source.slice(start, end < 0 ? source.length : end)
}

const isUnderlined = (source: string, from: number) => {
  for (let at = from; at < source.length;) {
    const line = lineAt(source, at)
    if (BLANK.test(line)) return false
    if (UNDERLINE.test(line)) return true
    at += line.length + 1
  }
  return false
}

const collapsed = (text: string) => text.replaceAll(/\s+/gu, " ").trim()

/** Characters of a line that are looked at: more than an excerpt has, unless most of them are white space. */
const LOOKED_AT = 3 * EXCERPT_MAX

/**
 * The excerpt of a section that begins with prose, as `excerptOf` has it, without a parse: most do, and a parse takes
 * longer than everything else that is done for them. Undefined when that cannot be known without one.
 */
export const plainExcerpt = (source: string): string | undefined => {
  let excerpt = ""
  for (let at = 0; at < source.length;) {
    const line = lineAt(source, at)
    at += line.length + 1
    if (RETURN.test(line)) return undefined
    if (BLANK.test(line) || HEADING.test(line)) continue
    if (!PROSE.test(line)) return undefined
    const mark = line.search(MARK)
    const end = Math.min(mark < 0 ? line.length : mark, LOOKED_AT)
    excerpt = collapsed(`${excerpt} ${line.slice(0, end)}`)
    if (isTooLong(excerpt)) return isUnderlined(source, at) ? undefined : shortened(excerpt)
    if (end < line.length) return undefined
  }
  return excerpt === "" ? undefined : excerpt
}
