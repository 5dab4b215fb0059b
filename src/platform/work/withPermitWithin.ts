import { type Duration, Effect, type Semaphore } from "effect"

/**
 * Makes the function that runs an effect with a permit or, when none is free in time, without one. Use it where permits only
 * keep others from waiting: work that is stuck with all of them holds up the rest for that time, and no longer.
 */
export const withPermitWithin =
  (semaphore: Semaphore.Semaphore, wait: Duration.Input) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    // The scope gives back a permit that arrives while the wait ends.
    Effect.scoped(Effect.andThen(Effect.timeoutOption(semaphore.takeScoped(1), wait), self))
