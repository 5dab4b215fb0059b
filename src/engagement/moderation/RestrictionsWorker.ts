import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../../platform/work/worker.ts"
import { type ClaimedRestriction, restrictionQueue } from "./restrictions.sql.ts"
import { RESTRICTIONS, Restrictions } from "./Restrictions.ts"

/** The maximum number of accounts whose Posts and Comments one process changes concurrently. */
const CONCURRENCY = 2

const LEASE_MILLIS = 60_000

/** The work after a restriction or its end: leased, with one step for each claim. */
const restrictionWork = ({
  claim,
  follow,
  release
}: Restrictions["Service"]): LeasedWork<ClaimedRestriction> => ({
  kind: RESTRICTIONS,
  queue: restrictionQueue,
  concurrency: CONCURRENCY,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: follow,
  release,
  lost: "Restrictions of authors are not being applied to their Posts and Comments",
  regained: "Restrictions of authors are being applied to their Posts and Comments again"
})

/** Supervised fibers that apply restrictions to Posts and Comments. Several processes may share the work. */
export const RestrictionsWorker = Layer.effectDiscard(
  Effect.flatMap(Restrictions, (restrictions) => worker(restrictionWork(restrictions)))
)
