import { Effect, Layer } from "effect"
import { MINUTE_MILLIS } from "../../../platform/time/now.ts"
import { worker } from "../../../platform/work/worker.ts"
import { summaryQueue } from "./summaries.sql.ts"
import { Summaries } from "./Summaries.ts"

/** The number of owners whose summaries one process writes concurrently. */
const CONCURRENCY = 2

/** Supervised fibers that write the daily summaries. Several processes may share the work. */
export const SummariesWorker = Layer.effectDiscard(
  Effect.flatMap(Summaries, ({ claim, notify }) =>
    worker({
      kind: "notification_summaries",
      queue: summaryQueue,
      concurrency: CONCURRENCY,
      leaseMillis: MINUTE_MILLIS,
      claim,
      run: notify,
      lost: "Daily summaries are not being written",
      regained: "Daily summaries are being written again"
    })
  )
)
