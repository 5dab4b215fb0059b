import { Effect, Layer } from "effect"
import { type ClaimedDeletion, deletionQueue } from "../../accounts/deletion/deletions.sql.ts"
import { type LeasedWork, worker } from "../../platform/work/worker.ts"
import { ACCOUNT_DELETIONS, AccountDeletions } from "./AccountDeletions.ts"

const LEASE_MILLIS = 300_000

/** The work that erases accounts: leased, with one step for each claim, and one account at a time in each process. */
const deletionWork = ({
  claim,
  follow,
  release
}: AccountDeletions["Service"]): LeasedWork<ClaimedDeletion> => ({
  kind: ACCOUNT_DELETIONS,
  queue: deletionQueue,
  concurrency: 1,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: follow,
  release,
  lost: "Accounts that were closed are not being erased",
  regained: "Accounts that were closed are being erased again"
})

/** A supervised fiber that erases accounts. Several processes may share the work. */
export const AccountDeletionsWorker = Layer.effectDiscard(
  Effect.flatMap(AccountDeletions, (deletions) => worker(deletionWork(deletions)))
)
