import { differingLetters } from "../../../schemas/platform/errors/nearestName.ts"

/** A path of the contract, as far as a mistyped one is compared with it. */
interface Candidate {
  readonly template: string
  readonly methods: ReadonlySet<string>
}

const SEGMENTS_MAX = 10
const SEGMENT_CHARACTERS_MAX = 40

/** Longer words are not compared by their letters. The longest one of the contract has 24. */
const WORD_CHARACTERS_MAX = 26

/** Paths whose numbers of segments differ by more are never near: even prefixes cost too much. */
const SEGMENTS_DIFFERENCE_MAX = 2

/** Costs of the differences between two paths. Below 0.5, most letters of two segments agree. */
const COST = {
  segment: 1,
  prefix: 0.4,
  oddParameter: 0.3,
  otherWord: 1.5,
  version: 0.2,
  method: 0.5,
  most: 1.2
}

const isPrefix = (segment: string) => /^(?:api|v\d)$/i.test(segment)

const isParameter = (segment: string) => segment.startsWith(":")

const segmentsOf = (path: string) => path.split("/").filter((it) => it !== "")

const missingCost = (segment: string) => (isPrefix(segment) ? COST.prefix : COST.segment)

/** An id has digits or is long; another word where an id belongs is less probable. */
const parameterCost = (sent: string) => (/\d/.test(sent) || sent.length > 12 ? 0 : COST.oddParameter)

const wordCost = (sent: string, word: string) => {
  if (sent === word) return 0
  if (isPrefix(sent) && isPrefix(word)) return COST.version
  const longest = Math.max(sent.length, word.length)
  // At least as many letters differ as one word has more than the other.
  const isOther = Math.abs(sent.length - word.length) >= longest / 2
  if (isOther || longest > WORD_CHARACTERS_MAX) return COST.otherWord
  const share = differingLetters(sent, word) / longest
  return share < 0.5 ? share : COST.otherWord
}

/** Makes the function that returns the path that a mistyped one probably means; undefined if none is near. */
export const nearestPathAmong = (candidates: ReadonlyArray<Candidate>) => {
  const paths = candidates.map((it) => ({ ...it, segments: segmentsOf(it.template) }))

  return (method: string, path: string): Candidate | undefined => {
    const sent = segmentsOf(path)
    if (sent.length > SEGMENTS_MAX || sent.some((it) => it.length > SEGMENT_CHARACTERS_MAX)) return undefined
    const costs = new Map<string, number>()
    const cost = (one: string, segment: string) => {
      const key = `${one}/${segment}`
      const known = costs.get(key)
      if (known !== undefined) return known
      const found = isParameter(segment) ? parameterCost(one) : wordCost(one, segment)
      costs.set(key, found)
      return found
    }

    /**
     * Returns the least cost to make one path of the other, segment by segment (Levenshtein). Stops where it can only be
     * this much or more.
     */
    const difference = (segments: ReadonlyArray<string>, enough: number) => {
      let row = [0]
      for (const segment of segments) row.push((row.at(-1) ?? 0) + missingCost(segment))
      for (const one of sent) {
        if (row.every((it) => it >= enough)) return enough
        const next = [(row[0] ?? 0) + missingCost(one)]
        for (const [j, segment] of segments.entries())
          next.push(
            Math.min(
              (row[j] ?? 0) + cost(one, segment),
              (row[j + 1] ?? 0) + missingCost(one),
              (next[j] ?? 0) + missingCost(segment)
            )
          )
        row = next
      }
      return row.at(-1) ?? 0
    }

    let nearest: Candidate | undefined
    let least = COST.most
    for (const { segments, ...candidate } of paths) {
      if (Math.abs(segments.length - sent.length) > SEGMENTS_DIFFERENCE_MAX) continue
      const total = difference(segments, least) + (candidate.methods.has(method) ? 0 : COST.method)
      if (total < least) [nearest, least] = [candidate, total]
    }
    return nearest
  }
}
