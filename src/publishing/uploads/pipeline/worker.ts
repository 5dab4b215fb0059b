import { Duration, Effect, Layer } from "effect"
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

/**
 * Heavy images in work at the same time. The process has two decoders, so that an image of one picture finds one that is
 * free within a second or two.
 */
const HEAVY_MAX = 1

/** Maximum number of owners whose costs are remembered. */
const SERVED_OWNERS_MAX = 500

/**
 * Counts what each owner cost this process within a minute: a millisecond for each operation that it began, and the time
 * that each took.
 */
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
    count: (owner: OwnerId, millis: number) =>
      served.set(owner, (served.get(owner) ?? 0) + Math.round(millis))
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

    const count = ({ is_heavy, next_task, owner_id }: Operation, by: 1 | -1) =>
      Effect.sync(() => {
        const operations = (running.get(owner_id) ?? 0) + by
        if (operations === 0) running.delete(owner_id)
        else running.set(owner_id, operations)
        if (is_heavy && next_task === "screen") heavy += by
      })

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
          (claimed) =>
            Effect.sync(() => {
              for (const { owner_id } of claimed) served.count(owner_id, 1)
            })
        ),
      run: (operation: Operation) =>
        Effect.acquireUseRelease(
          count(operation, 1),
          () =>
            Effect.flatMap(Effect.timed(pipeline.step(operation)), ([took]) =>
              Effect.sync(() => served.count(operation.owner_id, Duration.toMillis(took)))
            ),
          () => count(operation, -1)
        ),
      release: pipeline.handBack,
      lost: "Uploads are not being processed",
      regained: "Uploads are being processed again"
    })
  })
)
