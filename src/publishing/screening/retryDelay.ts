/**
 * Why a stage came to no verdict. `transient`: something that it needs is away, and is waited for however long it takes
 * (specification 3.2.7). `suspect`: the image itself may be what ends the attempt, so that there are only so many.
 */
export type FailureClass = "transient" | "suspect"

/** Attempts that an image may end before it has failed. */
export const SUSPECT_ATTEMPTS_MAX = 5

/** After the first failure, and however many there were, in milliseconds. */
const delays: Readonly<Record<FailureClass, { readonly first: number; readonly longest: number }>> = {
  transient: { first: 5_000, longest: 300_000 },
  suspect: { first: 10_000, longest: 600_000 }
}

/**
 * How long an operation waits after so many failures in a row, before jitter: doubled by each. It is no `Schedule`, as
 * the attempts of one operation may be those of several processes.
 */
export const retryDelayMillis = (failure: FailureClass, failures: number): number =>
  Math.min(delays[failure].first * 2 ** (failures - 1), delays[failure].longest)
