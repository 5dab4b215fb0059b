import { Effect, Layer } from "effect"
import { worker } from "../../platform/work/worker.ts"
import { LEASE_MILLIS, LOOK_PATIENCE_MILLIS, WORK_PATIENCE_MILLIS } from "./settlement.ts"
import { missingWorkQueue, settlementQueue } from "./settlements.sql.ts"
import { MISSING_WORK, SETTLEMENTS, Settlements } from "./Settlements.ts"

/** The maximum number of settlements that one process looks at concurrently. */
const CONCURRENCY = 16
/**
 * The maximum number of settlements for which one process waits for work concurrently. Servers generate work slowly.
 */
const WORK_CONCURRENCY = 4

/**
 * Supervised fibers that complete settlements if no request does. Several processes share the work. Blocks that lack
 * their work have places of their own, so that slow servers never keep other payments waiting.
 */
export const SettlementWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { claimDue, claimWithoutWork, giveBack, resume } = yield* Settlements
    yield* worker({
      kind: SETTLEMENTS,
      queue: settlementQueue,
      concurrency: CONCURRENCY,
      leaseMillis: LEASE_MILLIS,
      patienceMillis: LOOK_PATIENCE_MILLIS,
      claim: claimDue,
      run: resume,
      release: giveBack,
      lost: "Payments are not being settled",
      regained: "Payments are being settled again"
    })
    yield* worker({
      kind: MISSING_WORK,
      queue: missingWorkQueue,
      concurrency: WORK_CONCURRENCY,
      leaseMillis: LEASE_MILLIS,
      patienceMillis: WORK_PATIENCE_MILLIS,
      claim: claimWithoutWork,
      run: resume,
      release: giveBack,
      lost: "Work for payments is not being created",
      regained: "Work for payments is being created again"
    })
  })
)
