import { Cause, Effect, FiberSet, Layer, Schedule } from "effect"
import { ScreeningConcurrency } from "../ports/ScreeningConcurrency.ts"
import { UploadWakes } from "./UploadWakes.ts"
import { UploadWork } from "./UploadWork.ts"

/** For the work of other processes, and for what is due again. */
const POLL = "1 second"

/** How long to wait for a database that is away, from the first failure on. */
const patience = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("10 seconds")])

/**
 * The upload pipeline: supervised fibers, one for each operation that is worked on, so many at a time, and one that
 * takes operations for those that are free: at once when this process admits an image, and else by looking each second.
 * Any number of processes share the work; all of it ends with the layer.
 */
export const UploadFibers = Layer.effectDiscard(
  Effect.gen(function* () {
    const work = yield* UploadWork
    const wakes = yield* UploadWakes
    const concurrency = yield* ScreeningConcurrency
    const fibers = yield* FiberSet.make<void>()

    /** Takes as much as there is room for; true when there may be more. */
    const fill = Effect.gen(function* () {
      const free = concurrency - (yield* FiberSet.size(fibers))
      if (free === 0) return false
      const taken = yield* work.take(free)
      for (const upload of taken) {
        yield* FiberSet.run(fibers, Effect.ensuring(work.step(upload), wakes.wake))
      }
      return taken.length === free
    })

    const outlast = Effect.fnUntraced(function* (cause: Cause.Cause<never>) {
      yield* Effect.logWarning("Uploads are not worked on", cause)
      yield* Effect.sleep(POLL)
      yield* Effect.retry(Effect.sandbox(fill), patience)
      yield* Effect.logInfo("Uploads are worked on again")
    })

    yield* Effect.repeat(fill, { while: (mayBeMore) => mayBeMore }).pipe(
      Effect.asVoid,
      Effect.catchCauseIf((cause) => !Cause.hasInterruptsOnly(cause), outlast),
      Effect.andThen(Effect.timeoutOption(wakes.woken, POLL)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
