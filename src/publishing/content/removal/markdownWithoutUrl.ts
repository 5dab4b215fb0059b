import { costOf } from "../parser/estimatedCost.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { meaningLeft, PLACEHOLDER, type Placed, placedIn } from "./removalPlan.ts"
import { type Cut, cutsOf, tidied, without } from "./sourceCuts.ts"
import { withoutUrlText } from "./withoutUrlText.ts"

/** Whether a source may hold a URL, in whatever spelling. */
const mayHold = (source: string, url: string) =>
  /[\\&\0]/.test(source) || source.includes(url.replace(/^mailto:/i, ""))

const isTouched = (blocks: ReadonlyArray<Placed>) => blocks.some((block) => block.isTouched)

const isInline = ({ isBlock }: Cut) => !isBlock

/** The mark of a heading, which keeps what is beside it apart. */
const HEADING = /#{1,6}[ \t]/y

const placeholders =
  (source: string) =>
  ({ start }: Cut) => {
    HEADING.lastIndex = start
    return `${HEADING.exec(source)?.[0] ?? ""}${PLACEHOLDER}`
  }

/** What a section may become, from the plainest to what changes nothing else whatever stands beside it. */
function* candidates(source: string, blocks: ReadonlyArray<Placed>): Generator<string> {
  const lines = cutsOf(blocks, true)
  const nodes = cutsOf(blocks, false)
  yield without(source, tidied(source, lines, "lines"))
  yield without(source, tidied(source, lines, "spaces"))
  yield without(source, tidied(source, nodes, "spaces"))
  yield without(source, lines, (cut) => (isInline(cut) ? PLACEHOLDER : ""))
  yield without(source, nodes, placeholders(source))
}

/** How often a section is gone over, where what is removed makes another reference of what was text. */
const ROUNDS_MAX = 4

const removed = (source: string, url: string): string => {
  let current = source
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const blocks = placedIn(current, url)
    if (!isTouched(blocks)) return current
    const left = meaningLeft(blocks)
    let free: string | undefined
    for (const candidate of candidates(current, blocks)) {
      const after = placedIn(candidate, url)
      if (isTouched(after)) continue
      if (meaningLeft(after) === left) return candidate
      // The last one changes least beside what is removed.
      free = candidate
    }
    if (free !== undefined) return free
    current = without(current, cutsOf(blocks, false), placeholders(current))
  }
  return withoutUrlText(current, url)
}

/**
 * A section of Markdown without the images and definitions whose URL, as the parser reads it, is exactly `url`; a link to
 * it becomes its text. The rest stays byte for byte, but for blank lines and spaces around what is removed; where to
 * remove it would make something else of what stands beside it, a space of no width takes its place. What is not
 * Markdown, such as code, stays. Of a text that is too complex to be read, the URL itself is removed wherever it is.
 */
export const markdownWithoutUrl = (source: string, url: string): string => {
  if (!mayHold(source, url)) return source
  try {
    return removed(source, url)
  } catch (error) {
    // What nests so deeply that the stack overflows is too complex, too.
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error
    return withoutUrlText(source, url)
  }
}

/** What may be parsed several times where it is asked: a few milliseconds of the processor. */
const QUICK_MICROS = 1000

/** As {@link markdownWithoutUrl}; undefined of a section that takes so long that others would have to wait. */
export const withoutUrlQuickly = (source: string, url: string): string | undefined =>
  mayHold(source, url) && costOf(source) > QUICK_MICROS ? undefined : markdownWithoutUrl(source, url)
