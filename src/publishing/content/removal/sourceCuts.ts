import { isBlank, isTextBlock, type Placed } from "./removalPlan.ts"

/** Characters to cut from a source. */
export interface Cut {
  readonly start: number
  readonly end: number
  readonly isBlock: boolean
  /** True when nothing before it, or after it, stays in its span or block. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

const isBlock = ({ node }: Placed) => isTextBlock(node) || node.type === "definition"

/** Returns, for each sibling, the start of the next one that stays, or undefined. */
const startsAfter = (siblings: ReadonlyArray<Placed>): ReadonlyArray<number | undefined> => {
  let start: number | undefined
  return siblings
    .toReversed()
    .map((it) => {
      const after = start
      if (it.fate !== "goes") start = it.start
      return after
    })
    .toReversed()
}

/**
 * Returns the cuts of a section, in the order of the source. `withLines` also cuts the lines between a removed block
 * and the next block that stays or, without a next one, the block before it.
 */
export const cutsOf = (siblings: ReadonlyArray<Placed>, withLines: boolean): ReadonlyArray<Cut> => {
  const first = siblings.findIndex((it) => !isBlank(it))
  const last = siblings.findLastIndex((it) => !isBlank(it))
  const afters = startsAfter(siblings)
  let before: number | undefined
  return siblings.flatMap((it, at): ReadonlyArray<Cut> => {
    const { children, end, fate, isTouched, start } = it
    if (fate !== "goes") before = end
    if (!isTouched) return []
    if (fate === "stays") return cutsOf(children, withLines)
    const cut = { start, end, isBlock: isBlock(it), isFirst: at < first, isLast: at > last }
    if (fate === "goes") {
      if (!withLines || !cut.isBlock) return [cut]
      const after = afters[at]
      return [after === undefined ? { ...cut, start: before ?? start } : { ...cut, end: after }]
    }
    const mark = { ...cut, isFirst: false, isLast: false }
    return [
      { ...mark, end: start + 1 },
      ...cutsOf(children, withLines),
      { ...mark, start: children.at(-1)?.end ?? end }
    ]
  })
}

const SPACES = " \t"
/** Characters before the text of a line that continues a paragraph. */
const MARGIN = " \t>"
const LINE_ENDS = "\r\n"

/** Groups cuts with nothing but spaces between them. */
const near = (source: string, cuts: ReadonlyArray<Cut>): ReadonlyArray<ReadonlyArray<Cut>> => {
  const groups: Array<Array<Cut>> = []
  for (const cut of cuts) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    const isNear = last !== undefined && !last.isBlock && !cut.isBlock && isSpace(source, last.end, cut.start)
    if (isNear) group?.push(cut)
    else groups.push([cut])
  }
  return groups
}

const isSpace = (source: string, from: number, to: number) => {
  for (let at = from; at < to; at++) if (!SPACES.includes(source[at] ?? "")) return false
  return true
}

/** The tidying of cuts: of lines without other content, or of spaces at the ends of lines and spans, too. */
type Tidying = "lines" | "spaces"

const trimmed = (source: string, cuts: ReadonlyArray<Cut>, tidying: Tidying): ReadonlyArray<Cut> => {
  const [first, last] = [cuts[0], cuts.at(-1)]
  if (first === undefined || last === undefined || first.isBlock) return cuts
  const { start } = first
  const back = (at: number, over: string) => {
    while (at > 0 && over.includes(source[at - 1] ?? "")) at--
    return at
  }
  const ahead = (at: number, over: string) => {
    while (at < source.length && over.includes(source[at] ?? "")) at++
    return at
  }
  const isLineEnd = (at: number) => at >= source.length || LINE_ENDS.includes(source[at] ?? "")
  const head = back(start, MARGIN)
  const isHead = head === 0 || isLineEnd(head - 1)
  const end = ahead(last.end, SPACES)
  const isEnd = isLineEnd(end)
  const whole = (from: number, to: number) => [{ ...first, start: from, end: to }]
  if (tidying === "lines" && !(isHead && isEnd)) return cuts
  if (first.isFirst) {
    return whole(start, isEnd ? ahead(end + (source.startsWith("\r\n", end) ? 2 : 1), MARGIN) : end)
  }
  if (isHead && isEnd && head > 0) {
    return whole(head - (source.startsWith("\r\n", head - 2) ? 2 : 1), end)
  }
  if (isHead) return whole(start, end)
  if (isEnd) return whole(back(start, SPACES), end)
  return last.isLast ? whole(back(start, SPACES), last.end) : cuts
}

/** Extends cuts of inline content to the line ends and spaces that lose their purpose. */
export const tidied = (source: string, cuts: ReadonlyArray<Cut>, tidying: Tidying): ReadonlyArray<Cut> =>
  near(source, cuts).flatMap((group) => trimmed(source, group, tidying))

/** Returns the source without the cuts; `put` gives the text for the place of each. */
export const without = (
  source: string,
  cuts: ReadonlyArray<Cut>,
  put: (cut: Cut) => string = () => ""
): string => {
  let result = ""
  let at = 0
  for (const cut of cuts.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (cut.start >= at) result += source.slice(at, cut.start) + put(cut)
    at = Math.max(at, cut.end)
  }
  return result + source.slice(at)
}
