/** After the first attempt that failed. */
const FIRST_MILLIS = 1_000
/** However often it failed. */
const LONGEST_MILLIS = 60_000

/**
 * How long a mail waits after that many failed attempts, before jitter: 1 s, doubled by each attempt up to 60 s. It is
 * no `Schedule`, as the attempts of one mail may be those of several processes.
 */
export const retryDelayMillis = (attempts: number): number =>
  Math.min(FIRST_MILLIS * 2 ** (attempts - 1), LONGEST_MILLIS)
