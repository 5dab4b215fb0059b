import { Cause, Effect, Layer, Schedule } from "effect"

const EVERY = "1 minute"

/** A service whose rows expire. */
interface Sweeper {
  /** Removes the rows that no request can use any more, and brings those up to date that follow others. */
  readonly sweep: Effect.Effect<void>
}

/**
 * A supervised fiber that sweeps the services of each wing once a minute. Any number of processes may sweep at the same
 * time. A sweep that fails, as while the database is unavailable, is logged and does not keep the others from theirs.
 */
export const housekeeping = <R>(wings: Effect.Effect<ReadonlyArray<ReadonlyArray<Sweeper>>, never, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const guarded = Effect.catchCauseIf(
        (cause: Cause.Cause<never>) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning("A sweep failed", cause)
      )
      yield* Effect.forEach((yield* wings).flat(), ({ sweep }) => guarded(sweep), { discard: true }).pipe(
        Effect.repeat(Schedule.spaced(EVERY)),
        Effect.forkScoped
      )
    })
  )
