import { Cause, Effect, Layer, Schedule } from "effect"
import { Counters } from "./Counters.ts"

/** Readers see a change after this time at the latest, and after what it takes to add it. */
const EVERY = "500 millis"

/** A supervised fiber that adds the changes of counters that wait. While the database is away it tries again. */
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
