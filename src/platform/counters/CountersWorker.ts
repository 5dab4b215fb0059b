import { Cause, Effect, Layer, Schedule } from "effect"
import { Counters } from "./Counters.ts"

/** Readers see a change after at most this time and the time that it takes to add it. */
const EVERY = "500 millis"

/** A supervised fiber that adds the waiting changes of counters. While the database is away, it keeps trying. */
export const CountersWorker = Layer.effectDiscard(
  Effect.flatMap(Counters, ({ add }) =>
    add.pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning("Counters were not added; they wait", cause)
      ),
      Effect.repeat(Schedule.spaced(EVERY)),
      Effect.forkScoped
    )
  )
)
