import { Schema } from "effect"
import { FieldError } from "../../platform/errors/FieldError.ts"
import { KeyId } from "../../platform/Ids.ts"
import { Timestamp, ZonedDateTimeInput } from "../../platform/Timestamp.ts"

/** Maximum number of publications of an owner that wait for their moment. */
export const SCHEDULES_MAX = 100
/** Days that a publication can be ahead, at most. */
export const SCHEDULE_DAYS_MAX = 366

/** The reason for which a Post was not published at its moment. */
export const ScheduleFailureReason = Schema.Literals([
  "profile_incomplete",
  "publication_incomplete",
  "withdrawn",
  "account_restricted",
  "key_revoked",
  "key_expired",
  "changed",
  "missed"
]).annotate({ identifier: "ScheduleFailureReason" })
export type ScheduleFailureReason = typeof ScheduleFailureReason.Type

/** `errors` names what the Post or the Profile lacked, as the refusal of a publication does. */
export const ScheduleFailure = Schema.Struct({
  reason: ScheduleFailureReason,
  errors: Schema.Array(FieldError),
  at: Timestamp
}).annotate({ identifier: "ScheduleFailure" })
export type ScheduleFailure = typeof ScheduleFailure.Type

/** The moment at which a draft becomes public. A failed schedule stays until the author schedules or publishes the draft. */
export const Schedule = Schema.Struct({
  publishAt: Timestamp,
  state: Schema.Literals(["waiting", "failed"]),
  onlyRevision: Schema.Boolean.annotate({
    description: "True if only the text of the moment of scheduling may go public"
  }),
  scheduledBy: KeyId.annotate({ description: "The Publishing key with which the schedule ends" }),
  scheduledAt: Timestamp,
  failure: Schema.NullOr(ScheduleFailure)
}).annotate({ identifier: "Schedule" })
export type Schedule = typeof Schedule.Type

export const ScheduleRequest = Schema.Struct({
  publishAt: ZonedDateTimeInput.annotate({
    description: `When to publish: at most ${SCHEDULE_DAYS_MAX} days ahead, and before the key expires`
  }),
  onlyRevision: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "true publishes nothing if the draft is changed before; false, the default, publishes what it is then",
      default: false
    })
  )
}).annotate({ identifier: "ScheduleRequest" })
export type ScheduleRequest = typeof ScheduleRequest.Type

/** `currentRevision` is the `updatedAt` of the Post after the request. */
export const ScheduleResult = Schema.Struct({
  schedule: Schema.NullOr(Schedule),
  currentRevision: Timestamp
}).annotate({ identifier: "ScheduleResult" })
export type ScheduleResult = typeof ScheduleResult.Type
