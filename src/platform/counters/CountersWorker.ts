import { Cause, Effect, Layer } from "effect"
import { Doorbells } from "../work/Doorbells.ts"
import { Counters, COUNTERS } from "./Counters.ts"

/** Readers see a change after at most this time and the time that it takes to add it. */
const EVERY = "500 millis"

/**
 * A supervised fiber that adds the waiting changes of counters once a write has rung, at most twice a second. A look for
 * due work finds the changes of a process that ended, and those that could not be added.
 */
export const CountersWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { add, nextDue } = yield* Counters
    const { bell, watch } = yield* Doorbells
    yield* watch(COUNTERS, nextDue)
    yield* bell(COUNTERS).rung.pipe(
      Effect.andThen(add),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning("Could not add up the counters: their changes are kept", cause)
      ),
      Effect.andThen(Effect.sleep(EVERY)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
