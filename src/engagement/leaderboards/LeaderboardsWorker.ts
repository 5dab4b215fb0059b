import { Effect, Layer } from "effect"
import { MINUTE_MILLIS } from "../../platform/time/now.ts"
import { worker } from "../../platform/work/worker.ts"
import { leaderboardQueue } from "./leaderboards.sql.ts"
import { Leaderboards } from "./Leaderboards.ts"

/** A supervised fiber that refreshes leaderboards when they are due. Of many processes, one refreshes each. */
export const LeaderboardsWorker = Layer.effectDiscard(
  Effect.flatMap(Leaderboards, ({ claim, refresh }) =>
    worker({
      kind: "leaderboards",
      queue: leaderboardQueue,
      concurrency: 1,
      leaseMillis: MINUTE_MILLIS,
      claim,
      run: refresh,
      lost: "Leaderboards are not being refreshed",
      regained: "Leaderboards are being refreshed again"
    })
  )
)
