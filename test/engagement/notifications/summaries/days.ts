import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Notifications } from "../../../../src/engagement/notifications/feed/Notifications.ts"
import { Summaries } from "../../../../src/engagement/notifications/summaries/Summaries.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import { sessionOf } from "../../../support/actors/storedOwner.ts"

/** Claims days that ended, as a process does. */
export const claimDays = (limit: number) =>
  Effect.gen(function* () {
    const at = yield* now
    return yield* (yield* Summaries).claim({ at, leaseUntil: later(at, 60_000), limit })
  })

/** Tells every day that ended. Returns their number. */
export const tellDays = Effect.gen(function* () {
  const { notify } = yield* Summaries
  let told = 0
  for (let days = yield* claimDays(5); days.length > 0; days = yield* claimDays(5)) {
    yield* Effect.forEach(days, notify, { discard: true })
    told += days.length
  }
  return told
})

/** Reads the summaries of an owner, the newest first: the end of each day, and its numbers. */
export const summariesOf = Effect.fnUntraced(function* (owner: OwnerId) {
  const { notifications } = yield* (yield* Notifications).feed(sessionOf(owner), { limit: 50 })
  return notifications
    .filter(({ type }) => type === "summary")
    .map(({ created_at, data }) => [created_at.slice(0, 10), data] as const)
})

/** Counts the days of an owner that are still to be told. */
export const daysLeft = Effect.fnUntraced(function* (owner: OwnerId) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from notification_summaries where owner_id = ${owner}`).length
})

/** The numbers of a day; 0 for those that are absent. */
export const day = (numbers: Readonly<Record<string, number>>) => ({
  followers: 0,
  comments: 0,
  reactions: 0,
  sales: 0,
  tips: 0,
  ...numbers
})
