import type { Backoff } from "../../platform/time/backoff.ts"

/**
 * The reason for an attempt without a verdict. `transient`: a dependency is unavailable, and the image waits however long that
 * takes (spec 3.2.7). `suspect`: the image itself may have ended the attempt, so such attempts are counted.
 */
export type FailureClass = "transient" | "suspect"

/** Number of attempts that an image may end before it fails. */
export const SUSPECT_ATTEMPTS_MAX = 5

/** Waits between attempts: 5 s to 5 minutes for a dependency, 10 s to 10 minutes for a suspect image. */
export const backoffs: Readonly<Record<FailureClass, Backoff>> = {
  transient: { firstMillis: 5_000, longestMillis: 300_000 },
  suspect: { firstMillis: 10_000, longestMillis: 600_000 }
}
