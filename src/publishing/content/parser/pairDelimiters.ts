/** Equal markers next to each other, such as `**`. */
export interface DelimiterRun {
  /** The code of the character: `*`, `_`, `~` or `+`. */
  readonly marker: number
  readonly size: number
  readonly canOpen: boolean
  readonly canClose: boolean
}

/** The use of a run: the lengths of its closing parts, from its left, and of its opening parts, from its right. */
export interface Pairing {
  readonly closes: ReadonlyArray<number>
  readonly opens: ReadonlyArray<number>
}

const isEmphasis = (marker: number) => marker === 42 || marker === 95

/** CommonMark's rule of three: in `a**b*c*d**` the single ones are a pair of their own. */
const breaksRuleOfThree = (opener: DelimiterRun, closer: DelimiterRun) =>
  (opener.canClose || closer.canOpen) && closer.size % 3 !== 0 && (opener.size + closer.size) % 3 === 0

/**
 * Pairs runs as CommonMark's appendix "process emphasis" does, with strikethrough and underline on the same stack: those
 * pair with a whole run of the same length. Each closer looks back only to the last one of its kind that found no opener,
 * so that all of them together take linear time.
 */
export const pair = (runs: ReadonlyArray<DelimiterRun>): ReadonlyArray<Pairing> => {
  const pairings = runs.map(() => ({ closes: [] as Array<number>, opens: [] as Array<number> }))
  const left = runs.map(({ size }) => size)
  /** The stack: the indexes of the runs that may still open. */
  const openers: Array<number> = []
  /** The last closer of each kind that found no opener: there is none before it. */
  const bottoms = new Map<string, number>()

  runs.forEach((closer, index) => {
    const canPair = (at: number) => {
      const opener = runs[at]
      return (
        opener !== undefined &&
        opener.marker === closer.marker &&
        (isEmphasis(closer.marker) ? !breaksRuleOfThree(opener, closer) : opener.size === closer.size)
      )
    }
    const kind = `${closer.marker} ${closer.canOpen} ${isEmphasis(closer.marker) ? closer.size % 3 : closer.size}`

    const closeOne = () => {
      const bottom = bottoms.get(kind) ?? 0
      let at = openers.length - 1
      let opener = openers[at] ?? -1
      while (opener >= bottom && !canPair(opener)) opener = openers[--at] ?? -1
      if (opener < bottom) {
        bottoms.set(kind, index)
        return false
      }
      const size = !isEmphasis(closer.marker)
        ? closer.size
        : (left[opener] ?? 0) >= 2 && (left[index] ?? 0) >= 2
          ? 2
          : 1
      pairings[opener]?.opens.push(size)
      pairings[index]?.closes.push(size)
      left[opener] = (left[opener] ?? 0) - size
      left[index] = (left[index] ?? 0) - size
      // The runs between the two can no longer open.
      openers.length = left[opener] === 0 ? at : at + 1
      return true
    }
    if (closer.canClose) while ((left[index] ?? 0) > 0 && closeOne());
    if (closer.canOpen && (left[index] ?? 0) > 0) openers.push(index)
  })
  return pairings
}
