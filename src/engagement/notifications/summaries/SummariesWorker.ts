import { Effect, Layer } from "effect"
import { MINUTE_MILLIS } from "../../../platform/time/now.ts"
import { worker } from "../../../platform/work/worker.ts"
import { Summaries } from "./Summaries.ts"

/** The owners that one process tells of their day at the same time. */
const CONCURRENCY = 2

/** Supervised fibers that tell owners of their day. Several processes may share the work. */
export const SummariesWorker = Layer.effectDiscard(
  Effect.flatMap(Summaries, ({ claim, tell }) =>
    worker({
      kind: "notification_summaries",
      concurrency: CONCURRENCY,
      leaseMillis: MINUTE_MILLIS,
      claim,
      run: tell,
      lost: "Daily summaries are not written",
      regained: "Daily summaries are written again"
    })
  )
)
