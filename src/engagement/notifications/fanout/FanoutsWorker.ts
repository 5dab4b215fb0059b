import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../../../platform/work/worker.ts"
import { type Fanout, fanoutQueue, FANOUTS } from "./fanouts.sql.ts"
import { Fanouts } from "./Fanouts.ts"

/** The number of fan-outs that one process runs concurrently. */
const CONCURRENCY = 2
/** Lease of one batch. */
const LEASE_MILLIS = 30_000

/** Notifying many owners, as leased work. */
const fanoutWork = ({ claim, step }: Fanouts["Service"]): LeasedWork<Fanout> => ({
  kind: FANOUTS,
  queue: fanoutQueue,
  concurrency: CONCURRENCY,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: step,
  lost: "Notifications are not being sent",
  regained: "Notifications are being sent again"
})

/** Supervised fibers that notify many owners of causes. Several processes may share the work. */
export const FanoutsWorker = Layer.effectDiscard(
  Effect.flatMap(Fanouts, (fanouts) => worker(fanoutWork(fanouts)))
)
