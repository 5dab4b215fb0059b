import { costOf } from "../parser/estimatedCost.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { imagePathOf, leadingTo, spellingsOf } from "./leadingTo.ts"
import { meaningLeft, PLACEHOLDER, type Placed, placedIn } from "./removalPlan.ts"
import { type Cut, cutsOf, tidied, without } from "./sourceCuts.ts"
import { withoutUrlText } from "./withoutUrlText.ts"

/** Number of URLs that a text loses, at most, if it is too complex for the parser: each takes a pass over the text. */
const TEXT_URLS_MAX = 10

/** Returns true for a source that may hold one of the URLs, in any spelling. */
const mayHold = (source: string, urls: ReadonlyArray<string>, hosts: ReadonlyArray<string>) =>
  /[\\&\0%]/.test(source) ||
  urls.some((url) =>
    source.includes(imagePathOf(url, hosts)?.split("/").at(-1) ?? url.replace(/^mailto:/i, ""))
  )

/** Removes URLs as text. */
export const withoutUrlsAsText = (
  source: string,
  urls: ReadonlyArray<string>,
  hosts: ReadonlyArray<string> = []
): string => spellingsOf(urls.slice(0, TEXT_URLS_MAX), hosts).reduce(withoutUrlText, source)

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

const removed = (source: string, urls: ReadonlyArray<string>, hosts: ReadonlyArray<string>): string => {
  const isLost = leadingTo(urls, hosts)
  let current = source
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const blocks = placedIn(current, isLost)
    if (!isTouched(blocks)) return current
    const left = meaningLeft(blocks)
    let free: string | undefined
    for (const candidate of candidates(current, blocks)) {
      const after = placedIn(candidate, isLost)
      if (isTouched(after)) continue
      if (meaningLeft(after) === left) return candidate
      // The last candidate changes the least beside the cuts.
      free = candidate
    }
    if (free !== undefined) return free
    current = without(current, cutsOf(blocks, false), placeholders(current))
  }
  return withoutUrlsAsText(current, urls, hosts)
}

/**
 * Returns a section of Markdown without the images and definitions whose URL, as the parser reads it, leads to one of
 * `urls`. Images of the service are found on any of `hosts`. A
 * link to one becomes its text. Everything else stays byte for byte, except blank lines and spaces around a removal. Where a
 * removal would change the meaning of its neighbours, a zero width space takes its place. Code stays. A text that is too
 * complex for the parser loses the first URLs wherever they stand.
 */
export const markdownWithoutUrls = (
  source: string,
  urls: ReadonlyArray<string>,
  hosts: ReadonlyArray<string> = []
): string => {
  if (!mayHold(source, urls, hosts)) return source
  try {
    return removed(source, urls, hosts)
  } catch (error) {
    // Nesting that overflows the stack is too complex, too.
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error
    return withoutUrlsAsText(source, urls, hosts)
  }
}

/** Estimated µs up to which a section is parsed in place, several times. */
const QUICK_MICROS = 1000

/** As {@link markdownWithoutUrls}; returns undefined for a section that would delay other requests. */
export const withoutUrlsQuickly = (
  source: string,
  urls: ReadonlyArray<string>,
  hosts: ReadonlyArray<string> = []
): string | undefined =>
  mayHold(source, urls, hosts) && costOf(source) > QUICK_MICROS
    ? undefined
    : markdownWithoutUrls(source, urls, hosts)
