/** Waits between attempts: the first doubles with each failure until it is the longest. */
export interface Backoff {
  readonly firstMillis: number
  readonly longestMillis: number
}

/** Returns the wait after `failures` failures in a row, at least one, before jitter. */
export const backoffMillis = ({ firstMillis, longestMillis }: Backoff, failures: number): number =>
  Math.min(firstMillis * 2 ** (failures - 1), longestMillis)
