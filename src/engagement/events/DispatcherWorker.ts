import { Cause, Effect, Layer } from "effect"
import { eventsDue } from "../../platform/events/events.sql.ts"
import { EVENTS } from "../../platform/events/Events.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { Dispatcher } from "./Dispatcher.ts"

/** Time after which a dispatch that failed is tried again. */
const RETRY = "1 second"

/**
 * A supervised fiber that numbers events once a cause has rung. A look for due work finds updates that have waited for others,
 * and the events of a process that ended.
 */
export const DispatcherWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { dispatch } = yield* Dispatcher
    const { bell, watch } = yield* Doorbells
    yield* watch(EVENTS, eventsDue)
    yield* bell(EVENTS).rung.pipe(
      Effect.andThen(dispatch),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) =>
          Effect.andThen(
            Effect.logWarning("Could not number events: they are kept", cause),
            Effect.sleep(RETRY)
          )
      ),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
