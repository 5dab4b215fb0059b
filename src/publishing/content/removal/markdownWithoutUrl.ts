import { costOf } from "../parser/estimatedCost.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { meaningLeft, PLACEHOLDER, type Placed, placedIn } from "./removalPlan.ts"
import { type Cut, cutsOf, tidied, without } from "./sourceCuts.ts"
import { withoutUrlText } from "./withoutUrlText.ts"

/** Returns true for a source that may hold a URL, in any spelling. */
const mayHold = (source: string, url: string) =>
  /[\\&\0]/.test(source) || source.includes(url.replace(/^mailto:/i, ""))

const isTouched = (blocks: ReadonlyArray<Placed>) => blocks.some((block) => block.isTouched)

const isInline = ({ isBlock }: Cut) => !isBlock

/** The mark of a heading, which separates its neighbours. */
const HEADING = /#{1,6}[ \t]/y

const placeholders =
  (source: string) =>
  ({ start }: Cut) => {
    HEADING.lastIndex = start
    return `${HEADING.exec(source)?.[0] ?? ""}${PLACEHOLDER}`
  }

/** Yields candidates for the section, from the plainest to the one that changes the least beside the cuts. */
function* candidates(source: string, blocks: ReadonlyArray<Placed>): Generator<string> {
  const lines = cutsOf(blocks, true)
  const nodes = cutsOf(blocks, false)
  yield without(source, tidied(source, lines, "lines"))
  yield without(source, tidied(source, lines, "spaces"))
  yield without(source, tidied(source, nodes, "spaces"))
  yield without(source, lines, (cut) => (isInline(cut) ? PLACEHOLDER : ""))
  yield without(source, nodes, placeholders(source))
}

/** Maximum number of rounds over a section in which a removal makes a new reference from text. */
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
      // The last candidate changes the least beside the cuts.
      free = candidate
    }
    if (free !== undefined) return free
    current = without(current, cutsOf(blocks, false), placeholders(current))
  }
  return withoutUrlText(current, url)
}

/**
 * Returns a section of Markdown without the images and definitions whose URL, as the parser reads it, is exactly `url`. A
 * link to it becomes its text. Everything else stays byte for byte, except blank lines and spaces around a removal. Where a
 * removal would change the meaning of its neighbours, a zero width space takes its place. Code stays. A text that is too
 * complex for the parser loses the URL wherever it stands.
 */
export const markdownWithoutUrl = (source: string, url: string): string => {
  if (!mayHold(source, url)) return source
  try {
    return removed(source, url)
  } catch (error) {
    // Nesting that overflows the stack is too complex, too.
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error
    return withoutUrlText(source, url)
  }
}

/** Estimated µs up to which a section is parsed in place, several times. */
const QUICK_MICROS = 1000

/** As {@link markdownWithoutUrl}; returns undefined for a section that would delay other requests. */
export const withoutUrlQuickly = (source: string, url: string): string | undefined =>
  mayHold(source, url) && costOf(source) > QUICK_MICROS ? undefined : markdownWithoutUrl(source, url)
