import { Effect, Layer } from "effect"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { MINUTE_MILLIS } from "../../../platform/time/now.ts"
import { worker } from "../../../platform/work/worker.ts"
import { STEP_LEASE_MILLIS } from "../operation/deadlines.ts"
import type { Operation } from "../operation/operation.ts"
import { uploadQueue, UPLOADS } from "../operation/operations.sql.ts"
import { UploadPipeline } from "./UploadPipeline.ts"

/** The operations of one owner fill at most half of the places of a process, so that others always find one. */
const OWNER_PART = 2

/** Heavy operations in work at the same time. The process has two decoders, so that others find one that is free. */
const HEAVY_MAX = 1

/** Maximum number of owners whose pixels are remembered. */
const SERVED_OWNERS_MAX = 500

/** Counts the pixels that this process began to decode for each owner within a minute. */
const makeServed = () => {
  const served = new Map<OwnerId, number>()
  let since = 0
  return {
    /** Returns the counts at a moment, and forgets them when they are old. */
    at: (moment: Date): ReadonlyMap<OwnerId, number> => {
      const age = moment.getTime() - since
      if (age < 0 || age >= MINUTE_MILLIS || served.size >= SERVED_OWNERS_MAX) {
        served.clear()
        since = moment.getTime()
      }
      return served
    },
    count: ({ next_pixels, owner_id }: Operation) =>
      served.set(owner_id, (served.get(owner_id) ?? 0) + next_pixels)
  }
}

/** Supervised fibers of the pipeline, one for each operation in work. Any number of processes share the work. */
export const UploadWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const pipeline = yield* UploadPipeline
    const { screeningConcurrency } = yield* Settings
    const perOwner = Math.ceil(screeningConcurrency / OWNER_PART)
    const running = new Map<OwnerId, number>()
    const served = makeServed()
    let heavy = 0

    const count = ({ is_heavy, owner_id }: Operation, by: 1 | -1) => {
      const operations = (running.get(owner_id) ?? 0) + by
      if (operations === 0) running.delete(owner_id)
      else running.set(owner_id, operations)
      if (is_heavy) heavy += by
    }
    // The next claim may come before the fibers of this one begin.
    const begin = (operation: Operation) => {
      count(operation, 1)
      served.count(operation)
    }

    yield* worker({
      kind: UPLOADS,
      queue: uploadQueue,
      concurrency: screeningConcurrency,
      leaseMillis: STEP_LEASE_MILLIS,
      claim: (claim) =>
        Effect.tap(
          pipeline.claim({
            ...claim,
            perOwner,
            running,
            served: served.at(claim.at),
            heavyMax: HEAVY_MAX - heavy
          }),
          (claimed) => Effect.sync(() => claimed.forEach(begin))
        ),
      run: (operation: Operation) =>
        Effect.ensuring(
          pipeline.step(operation),
          Effect.sync(() => count(operation, -1))
        ),
      release: pipeline.handBack,
      lost: "Uploads are not being processed",
      regained: "Uploads are being processed again"
    })
  })
)
