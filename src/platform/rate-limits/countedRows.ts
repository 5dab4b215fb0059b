// Rates that are counted over the rows of a table. Every window counts, wherever it begins.

/** Returns a quota under the factor of the operator. */
export const quotaUnder = (limit: number, factor: number): number => Math.max(1, Math.floor(limit * factor))

/**
 * Returns the seconds until a window has room again. `from` is the time of the oldest row of a full quota, counted from
 * the newest row; null while the quota has room. The result is at most 0 when there is room now, and never above the
 * window.
 */
export const secondsLeft = (from: Date | null, windowMillis: number, at: Date): number =>
  from === null ? 0 : Math.ceil(Math.min(windowMillis, from.getTime() + windowMillis - at.getTime()) / 1000)
