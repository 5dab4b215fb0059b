/** The least number that this part (0 to 1) of them is below, or the largest. */
export const quantile = (numbers: ReadonlyArray<number>, q: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

/** The middle one of an odd number, and the mean of the middle two of an even one. */
export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}

/** The median of the quantiles of the rounds. */
export const medianQuantile = (rounds: ReadonlyArray<ReadonlyArray<number>>, q: number): number =>
  median(rounds.map((round) => quantile(round, q)))
