import { Effect, Layer } from "effect"
import { worker } from "../../../platform/work/worker.ts"
import { scheduleQueue, SCHEDULES } from "./schedules.sql.ts"
import { Schedules } from "./Schedules.ts"

/** Publications that a process makes at the same time. */
const CONCURRENCY = 4
const LEASE_MILLIS = 30_000

/** Supervised fibers that publish drafts whose moment has come. Any number of processes share the work. */
export const SchedulesWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { claim, publishDue, release } = yield* Schedules
    yield* worker({
      kind: SCHEDULES,
      queue: scheduleQueue,
      concurrency: CONCURRENCY,
      leaseMillis: LEASE_MILLIS,
      claim,
      run: publishDue,
      release,
      lost: "Scheduled posts are not published",
      regained: "Scheduled posts are published again"
    })
  })
)
