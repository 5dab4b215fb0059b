import { Effect, Layer } from "effect"
import { worker } from "../../platform/work/worker.ts"
import { LEASE_MILLIS } from "./pace.ts"
import { SETTLEMENTS, Settlements } from "./Settlements.ts"

/** The most settlements that one process looks at at the same time. */
const CONCURRENCY = 16

/** Supervised fibers that carry settlements to their end, when no request does. Several processes share the work. */
export const SettlementWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { claimDue, giveBack, resume } = yield* Settlements
    yield* worker({
      kind: SETTLEMENTS,
      concurrency: CONCURRENCY,
      leaseMillis: LEASE_MILLIS,
      claim: claimDue,
      run: resume,
      release: giveBack,
      lost: "Payments are not carried through",
      regained: "Payments are carried through again"
    })
  })
)
