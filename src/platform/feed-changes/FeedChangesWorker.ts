import { Effect, Layer } from "effect"
import { FeedHub } from "../ports/FeedHub.ts"
import { type LeasedWork, worker } from "../work/worker.ts"
import { type ClaimedChange, feedChangeQueue } from "./feedChanges.sql.ts"
import { FEED_CHANGES, FeedChanges } from "./FeedChanges.ts"

/** Maximum number of changed feeds that one process reports to the hub at the same time. */
const CONCURRENCY = 2
const LEASE_MILLIS = 60_000

/** The pings of a hub as leased work. */
export const feedWork = ({ claim, tell }: FeedChanges["Service"]): LeasedWork<ClaimedChange> => ({
  kind: FEED_CHANGES,
  queue: feedChangeQueue,
  concurrency: CONCURRENCY,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: tell,
  lost: "The hub is not being notified of changed feeds",
  regained: "The hub is being notified of changed feeds again"
})

/** Supervised fibers that tell the hub of changed feeds; none without a hub. */
export const FeedChangesWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    if ((yield* FeedHub).url === undefined) return
    yield* worker(feedWork(yield* FeedChanges))
  })
)
