import { Effect } from "effect"
import { later, now } from "../../../../src/platform/time/now.ts"
import { Schedules } from "../../../../src/publishing/posts/schedules/Schedules.ts"
import type { Author } from "../../../support/actors/author.ts"

const LEASE_MILLIS = 30_000

/** Claims publications that are due, as a worker does. */
export const claimSchedules = Effect.gen(function* () {
  const schedules = yield* Schedules
  const at = yield* now
  return yield* schedules.claim({ at, leaseUntil: later(at, LEASE_MILLIS), limit: 4 })
})

/** Makes all publications that are due. Returns their number. */
export const publishAllDue = Effect.gen(function* () {
  const { publishDue } = yield* Schedules
  let count = 0
  for (;;) {
    const due = yield* claimSchedules
    if (due.length === 0) return count
    yield* Effect.forEach(due, publishDue, { discard: true })
    count += due.length
  }
})

/** Returns a moment that many seconds from now, as a caller writes it. */
export const inSeconds = (seconds: number) =>
  Effect.map(now, (at) => later(at, seconds * 1_000).toISOString())

/** Returns the requests of an author about schedules. */
export const schedulerOf = (author: Pick<Author, "send">) => ({
  schedule: (id: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    author.send("PUT", `/${id}/schedule`, { body, headers }),
  cancel: (id: string) => author.send("DELETE", `/${id}/schedule`),
  scheduled: author.send("GET", "?scheduled=true")
})
