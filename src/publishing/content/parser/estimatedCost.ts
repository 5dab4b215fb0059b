// Microseconds of the processor for each part of a text, measured on texts of that part alone.
const CHARACTER = 0.1
const LINE = 15
const BRACKET = 18
const CELL = 18
const MARK = 5
/** A line that begins with the mark of a list, a quotation, a heading or a definition; each further mark on it. */
const BLOCK = 50
const CONTAINER = 8
/** A bare address, which is a link. */
const ADDRESS = 36
/** Each column of indentation, up to the deepest list or quotation: the parser checks these one by one. */
const COLUMN = 8

/** Estimated µs above which a section is refused: a second, while the longest section of prose takes a tenth. */
export const COST_MAX = 1_000_000

const NEWLINE = 10
const RETURN = 13
const QUOTATION = 62
const COLON = 58

/** The end of a scheme whose address is no part of a longer link. */
const isBare = (source: string, colon: number) =>
  source.startsWith("://", colon) && !/[(<]https?$/i.test(source.slice(Math.max(0, colon - 6), colon))

/** The cost of each character, and 1 for those that may begin a block. */
const weights = new Float64Array(128).fill(CHARACTER)
const begins = new Uint8Array(128)
for (const mark of "!&*+<\\_`~") weights[mark.charCodeAt(0)] = MARK
for (const mark of "[]") weights[mark.charCodeAt(0)] = BRACKET
weights["|".charCodeAt(0)] = CELL
weights[NEWLINE] = LINE
weights[RETURN] = LINE
for (const mark of "*+->#[0123456789") begins[mark.charCodeAt(0)] = 1

/** Estimates the microseconds of the processor that reading a section takes. */
export const costOf = (source: string): number => {
  let cost = 0
  let column = 0
  let blocks = 0
  /** The rightmost column at which a list or quotation may be open. */
  let deepest = 0
  let isAtStart = true
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at)
    cost += weights[code] ?? CHARACTER
    if (code === COLON && isBare(source, at)) cost += ADDRESS
    if (isAtStart) {
      const isSpace = code === 32 || code === 9
      if (begins[code] === 1) cost += blocks++ === 0 ? BLOCK : CONTAINER
      if (begins[code] === 1 || isSpace) {
        column++
        if (code === QUOTATION || (isSpace && blocks > 0)) deepest = Math.max(deepest, column)
      } else {
        isAtStart = false
        cost += COLUMN * Math.min(column, deepest)
      }
    }
    if (code === NEWLINE || code === RETURN) {
      isAtStart = true
      column = 0
      blocks = 0
    }
  }
  return cost + (isAtStart ? COLUMN * Math.min(column, deepest) : 0)
}

/**
 * Matches the beginning of every unsupported feature, image and definition: `<` of HTML and autolinks, `|` or the
 * aligning `:` of a table, the box of a task, the mark of a footnote, `![` of an image, `]:`, the address of a
 * link that may be refused. Also matches a title in parentheses, which may be too complex.
 */
const NEEDS_A_LOOK = /[<|]|:-|-:|\[[ \txX]\]|\[[ \t]*[\r\n]|\[\^|!\[|\]:|\]\((?!https?:\/\/)|\]\([^)\s]*\s+\(/

/**
 * Matches long runs of list and quotation marks, which may be too complex. Joined with the other pattern, both would be
 * slow.
 */
const LONG_RUN = /^[ \t*+\->\d.)]{200}/m

/** Estimated µs of the marks and lines between two blank lines of prose. More may be too complex, which only a parse shows. */
const PLAIN_MAX = 10_000

const BLANK_LINE = /\n[ \t]*\r?\n/

const isLight = (source: string, cost: number) => cost - CHARACTER * source.length <= PLAIN_MAX

const isLightThroughout = (source: string) => {
  const cost = costOf(source)
  if (isLight(source, cost)) return true
  return cost <= COST_MAX && source.split(BLANK_LINE).every((stretch) => isLight(stretch, costOf(stretch)))
}

/**
 * Returns true for plain prose: a section without features to find that is never too complex. The patterns run last, as
 * they would be slow on repeated marks.
 */
export const isPlain = (source: string): boolean =>
  isLightThroughout(source) && !NEEDS_A_LOOK.test(source) && !LONG_RUN.test(source)
