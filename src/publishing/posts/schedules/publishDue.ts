import { DateTime, Effect, Metric, Option, Result, Schema } from "effect"
import type { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import { type ScheduleFailure, ScheduleFailureReason } from "../../../../schemas/publishing/posts/Schedule.ts"
import { ApiKeys } from "../../../accounts/api-keys/ApiKeys.ts"
import { Events } from "../../../platform/events/Events.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now, wireTime } from "../../../platform/time/now.ts"
import { Notices } from "../Notices.ts"
import type { PostRow, ScheduleRow } from "../postRow.ts"
import { Publishing, type PublishRefusal } from "../Publishing.ts"
import { dueRefusal, isLate, latenessOf } from "./dueRefusal.ts"
import { failedEvent } from "./failedEvent.ts"
import { type DueSchedule, scheduleStatements } from "./schedules.sql.ts"

/** The draft has no publication that is due: its author moved or ended it, or it failed. */
class NotDue extends Schema.TaggedError<NotDue>()("NotDue", {}) {}

/** The schedule itself keeps the draft from being published. */
class NotAllowed extends Schema.TaggedError<NotAllowed>()("NotAllowed", { reason: ScheduleFailureReason }) {}

const lateness = Metric.histogram("schedule_lateness_seconds", {
  description: "Time from the moment of a scheduled publication until it",
  boundaries: [0.1, 0.5, 1, 2, 5, 10, 60, 300, 3_600, 86_400]
})

/** Returns the reason for which a publication failed, as its author sees it. */
const failureOf = (error: PublishRefusal | NotAllowed, at: Date): ScheduleFailure => {
  const of = (reason: ScheduleFailureReason, errors: ReadonlyArray<FieldError> = []) => ({
    reason,
    errors,
    at: wireTime(at)
  })
  switch (error._tag) {
    case "ProfileIncomplete":
      return of("profile_incomplete", error.errors)
    case "PublicationIncomplete":
      return of("publication_incomplete", error.errors)
    case "PostWithdrawn":
      return of("withdrawn")
    case "AccountRestricted":
      return of("account_restricted")
    case "NotAllowed":
      return of(error.reason)
  }
}

const dateOf = ({ publish_at }: ScheduleRow) => DateTime.toDateUtc(DateTime.makeUnsafe(publish_at))

/** Names a schedule for what tells its author of it. */
const causeOf = ({ id }: PostRow, { created_at }: ScheduleRow) => `schedule-${id}-${created_at}`

/**
 * Makes the function that publishes a draft whose moment has come, or keeps the reason for which it does not. Any number of
 * processes may do it at the same time. Each decides from a revision of the draft, and a change of the schedule makes another.
 */
export const makePublishDue = Effect.gen(function* () {
  const schedules = yield* scheduleStatements
  const publishing = yield* Publishing
  const keys = yield* ApiKeys
  const notices = yield* Notices
  const events = yield* Events
  const transactions = yield* Transactions

  /** Keeps the reason, and tells the author. Returns false when the draft has changed since. */
  const fail = Effect.fnUntraced(
    function* (due: DueSchedule, post: PostRow, schedule: ScheduleRow, error: PublishRefusal | NotAllowed) {
      const at = yield* now
      const failure = failureOf(error, at)
      if (!(yield* schedules.fail(post, failure, at))) return false
      const { publish_at: publishAt } = schedule
      yield* events.record(failedEvent(due.owner_id, { ...post, publishAt }, failure, at))
      yield* notices.accountIssue({
        ownerId: due.owner_id,
        code: "schedule_failed",
        postId: due.id,
        cause: causeOf(post, schedule),
        at
      })
      return true
    },
    (effect) => transactions.run(effect)
  )

  const tellIfLate = Effect.fnUntraced(function* (due: DueSchedule, post: PostRow, at: Date) {
    const { schedule } = post
    if (schedule === null || !isLate(schedule, at)) return
    yield* notices.accountIssue({
      ownerId: due.owner_id,
      code: "schedule_late",
      postId: due.id,
      cause: `${causeOf(post, schedule)}-late`,
      at
    })
  })

  /** Returns false when the draft changed meanwhile, so that it must be looked at again. */
  const attempt = Effect.fnUntraced(function* (publisher: PublisherAuthority, due: DueSchedule) {
    let last: { readonly post: PostRow; readonly schedule: ScheduleRow; readonly at: Date } | undefined
    const check = Effect.fnUntraced(function* (post: PostRow, at: Date) {
      const { schedule } = post
      if (schedule === null || schedule.failure !== null) return yield* new NotDue()
      last = { post, schedule, at }
      if (latenessOf(schedule, at) < 0) return yield* new NotDue()
      const reason = dueRefusal(schedule, post, at)
      if (reason !== undefined) return yield* new NotAllowed({ reason })
    })
    const published = yield* Effect.result(
      publishing.publishScheduled(publisher, due.id, check, (post, at) => tellIfLate(due, post, at))
    )
    if (Result.isSuccess(published)) {
      if (!published.success.stateChanged) yield* schedules.end(due.owner_id, due.id, yield* now)
      else if (last !== undefined) yield* Metric.update(lateness, latenessOf(last.schedule, last.at) / 1_000)
      return true
    }
    const error = published.failure
    if (error._tag === "NotFound" || last === undefined) return true
    if (error._tag !== "NotDue") return yield* fail(due, last.post, last.schedule, error)
    // The clock went back since the claim, or the author moved it, and it has another time already.
    yield* schedules.release(due, dateOf(last.schedule))
    return true
  })

  return Effect.fn("Schedules.publishDue")(function* (due: DueSchedule) {
    const publisher = yield* keys.recall(due.owner_id, due.api_key_id)
    // None once the account is erased.
    if (Option.isSome(publisher))
      yield* Effect.repeat(attempt(publisher.value, due), { until: (isDone) => isDone })
  })
})
