import { Effect, FiberSet, Layer } from "effect"
import { Settings } from "../../platform/settings/Settings.ts"
import { supervised } from "../../platform/work/worker.ts"
import { UploadWakes } from "./UploadWakes.ts"
import { UploadWork } from "./UploadWork.ts"

/**
 * The upload pipeline: supervised fibers, one for each operation that is worked on, so many at a time, and one that
 * takes operations for those that are free. Any number of processes share the work; all of it ends with the layer.
 */
export const UploadFibers = Layer.effectDiscard(
  Effect.gen(function* () {
    const work = yield* UploadWork
    const wakes = yield* UploadWakes
    const { screeningConcurrency: concurrency } = yield* Settings
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

    yield* supervised({
      bell: { ring: wakes.wake, rung: wakes.woken },
      drain: Effect.repeat(fill, { while: (mayBeMore) => mayBeMore }),
      lost: "Uploads are not worked on",
      regained: "Uploads are worked on again"
    })
  })
)
