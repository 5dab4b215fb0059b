import { Layer } from "effect"
import { ReportQueue } from "./ReportQueue.ts"
import { ReportQueueRepo } from "./ReportQueueRepo.ts"
import { Reports } from "./Reports.ts"
import { ReportsRepo } from "./ReportsRepo.ts"

/** Reports of readers, and the queue in which moderators work on them. */
export const layer = Layer.merge(
  Reports.layer.pipe(Layer.provide(ReportsRepo.layer)),
  ReportQueue.layer.pipe(Layer.provide(ReportQueueRepo.layer))
)
