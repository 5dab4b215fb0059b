import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../../../platform/work/worker.ts"
import { type DueImport, SUBSCRIBER_IMPORTS, subscriberImportQueue } from "./subscriberImports.sql.ts"
import { SubscriberImports } from "./SubscriberImports.ts"

/** The number of imports that one process works on concurrently. */
const CONCURRENCY = 2
const LEASE_MILLIS = 60_000

const importWork = ({ claim, step }: SubscriberImports["Service"]): LeasedWork<DueImport> => ({
  kind: SUBSCRIBER_IMPORTS,
  queue: subscriberImportQueue,
  concurrency: CONCURRENCY,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: step,
  lost: "Readers of imported lists are not asked to confirm",
  regained: "Readers of imported lists are asked to confirm again"
})

/** Supervised fibers that ask the readers of imported lists to confirm. Several processes may share the work. */
export const SubscriberImportsWorker = Layer.effectDiscard(
  Effect.flatMap(SubscriberImports, (imports) => worker(importWork(imports)))
)
