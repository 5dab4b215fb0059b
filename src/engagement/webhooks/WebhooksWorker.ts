import { Effect, Layer } from "effect"
import { worker } from "../../platform/work/worker.ts"
import { WebhookTurns } from "./WebhookTurns.ts"
import { WEBHOOKS, webhookQueue } from "./webhookWork.sql.ts"

/** Webhooks to which a process sends at the same time. An owner has at most ten, so one owner never fills all places. */
const CONCURRENCY = 32
/** Lease of a turn, which begins no request after 25 seconds and ends each within 15. */
const LEASE_MILLIS = 60_000

/** Supervised fibers that send to webhooks. Any number of processes share the work. */
export const WebhooksWorker = Layer.effectDiscard(
  Effect.flatMap(WebhookTurns, ({ claim, release, turn }) =>
    worker({
      kind: WEBHOOKS,
      queue: webhookQueue,
      concurrency: CONCURRENCY,
      leaseMillis: LEASE_MILLIS,
      claim,
      run: turn,
      release,
      lost: "Nothing is sent to webhooks",
      regained: "Webhooks are sent to again"
    })
  )
)
