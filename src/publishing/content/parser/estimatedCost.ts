// What reading takes of the processor, in microseconds, measured on texts of nothing else.
const CHARACTER = 0.1
const LINE = 15
const BRACKET = 18
const CELL = 18
const MARK = 5
/** A line that begins with the mark of a list, a quotation, a heading or a definition; each further mark on it. */
const BLOCK = 50
const CONTAINER = 8
/** Each column that a line is indented by, up to where lists and quotations are, which are looked at one by one. */
const COLUMN = 8

/** More than this is never read: a second, where the longest section of prose takes a tenth. */
export const COST_MAX = 1_000_000

const NEWLINE = 10
const RETURN = 13
const QUOTATION = 62

/** Per character: what it costs anywhere, and whether it may begin a block. */
const weights = new Float64Array(128).fill(CHARACTER)
const begins = new Uint8Array(128)
for (const mark of "!&*+<\\_`~") weights[mark.charCodeAt(0)] = MARK
for (const mark of "[]") weights[mark.charCodeAt(0)] = BRACKET
weights["|".charCodeAt(0)] = CELL
weights[NEWLINE] = LINE
weights[RETURN] = LINE
for (const mark of "*+->#[0123456789") begins[mark.charCodeAt(0)] = 1

/** About how many microseconds of the processor a section takes to read, before it is. */
export const costOf = (source: string): number => {
  let cost = 0
  let column = 0
  let blocks = 0
  /** How far to the right a list or quotation may be open. */
  let deepest = 0
  let isAtStart = true
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at)
    cost += weights[code] ?? CHARACTER
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
 * What begins every unsupported feature, every image and every definition: `<` of HTML and autolinks, `|` or the
 * aligning `:` of a table, the box of a task, which may hold the end of a line, the mark of a footnote, `![` of an
 * image, `]:`. And a title in parentheses, or marks of lists and quotations without end, which may be too complex.
 */
const NEEDS_A_LOOK =
  /[<|]|:-|-:|\[[ \txX]\]|\[[ \t]*[\r\n]|\[\^|!\[|\]:|\]\([^)\s]*\s+\(|^[ \t*+\->\d.)]{200}/m

/** What the marks and lines between two blank lines of prose cost; more may repeat so that it is too complex, which takes a parse to see. */
const PLAIN_MAX = 10_000

const BLANK_LINE = /\n[ \t]*\r?\n/

const isLight = (source: string, cost: number) => cost - CHARACTER * source.length <= PLAIN_MAX

const isLightThroughout = (source: string) => {
  const cost = costOf(source)
  if (isLight(source, cost)) return true
  return cost <= COST_MAX && source.split(BLANK_LINE).every((stretch) => isLight(stretch, costOf(stretch)))
}

/**
 * Whether a section can neither hold anything that is looked for nor be too complex to read. The look comes last: over
 * marks that repeat it would take long by itself.
 */
export const isPlain = (source: string): boolean => isLightThroughout(source) && !NEEDS_A_LOOK.test(source)
