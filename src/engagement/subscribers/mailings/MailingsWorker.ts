import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../../../platform/work/worker.ts"
import { type Mailing, mailingQueue, MAILINGS } from "./mailings.sql.ts"
import { Mailings } from "./Mailings.ts"

/** The number of mailings that one process prepares concurrently. */
const CONCURRENCY = 2
const LEASE_MILLIS = 60_000

const mailingWork = ({ claim, step }: Mailings["Service"]): LeasedWork<Mailing> => ({
  kind: MAILINGS,
  queue: mailingQueue,
  concurrency: CONCURRENCY,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: step,
  lost: "Mail to readers is not being prepared",
  regained: "Mail to readers is being prepared again"
})

/** Supervised fibers that put the mails about posts into the outbox. Several processes may share the work. */
export const MailingsWorker = Layer.effectDiscard(
  Effect.flatMap(Mailings, (mailings) => worker(mailingWork(mailings)))
)
