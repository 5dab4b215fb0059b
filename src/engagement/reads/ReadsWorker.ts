import { Cause, Effect, Layer } from "effect"
import { gracefully } from "../../platform/work/gracefully.ts"
import { Reads } from "./Reads.ts"

const EVERY = "1 minute"

/** Time that a stopping process gives to a flush. */
const STOPPING = "5 seconds"

/** A supervised fiber that flushes the reads of this process once a minute, and when it stops. */
export const ReadsWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { flush, renewKeys } = yield* Reads
    const guarded = <A>(effect: Effect.Effect<A>) =>
      Effect.catchCauseIf(
        effect,
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning("Could not save the reads: they are counted on", cause)
      )
    yield* guarded(renewKeys)
    // A finalizer that is added first runs last: after the fiber.
    yield* Effect.addFinalizer(() => guarded(Effect.timeoutOption(Effect.interruptible(flush), STOPPING)))
    yield* Effect.sleep(EVERY).pipe(
      Effect.andThen(guarded(gracefully(STOPPING)(flush))),
      Effect.andThen(guarded(renewKeys)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
