import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Leaderboards } from "../../../src/engagement/leaderboards/Leaderboards.ts"
import { later, now } from "../../../src/platform/time/now.ts"

/** Makes all owners choose to be shown in rankings of authors. */
export const allChooseRankings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into notification_preferences (owner_id, show_on_creator_leaderboards) select id, true from owners
    on conflict (owner_id) do update set show_on_creator_leaderboards = true`
})

/** Refreshes the leaderboards that are due, as the worker does. Returns how many there were. */
export const refreshDue = Effect.gen(function* () {
  const leaderboards = yield* Leaderboards
  const at = yield* now
  const claimed = yield* leaderboards.claim({ at, leaseUntil: later(at, 60_000), limit: 100 })
  yield* Effect.forEach(claimed, leaderboards.refresh, { discard: true })
  return claimed.length
})
