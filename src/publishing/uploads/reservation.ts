import { Schema } from "effect"
import { UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { UploadLimitReached } from "../../../schemas/publishing/uploads/errors.ts"
import {
  STAGED_BYTES_MAX,
  TRANSFER_BYTES_PER_DAY_MAX,
  TRANSFERS_PER_DAY_MAX,
  TRANSFERS_PER_MINUTE_MAX,
  UNFINISHED_OPERATIONS_MAX
} from "../../../schemas/publishing/uploads/limits.ts"
import { TargetKind, UploadState } from "../../../schemas/publishing/uploads/Upload.ts"
import { DAY_MILLIS, later } from "../../platform/time/now.ts"
import { Owed, type UploadTarget } from "./operation.ts"

/** An operation that has the request key already. */
export const EarlierUpload = Schema.Struct({
  id: UploadOperationId,
  target_kind: TargetKind,
  target_id: UploadTargetId,
  target_key: Schema.String,
  state: UploadState,
  owed: Schema.NullOr(Owed),
  due_at: Schema.Date,
  /** Names the lease that it was read under. */
  attempts: Schema.Int,
  desired: Schema.Boolean,
  staged_bytes: Schema.Int,
  /** In hex; null until it is received. */
  sha256: Schema.NullOr(Schema.String)
})
export type EarlierUpload = typeof EarlierUpload.Type

/** What a reservation is decided by, read under the lock of the owner. */
export const ReservationFacts = Schema.Struct({
  /** Null when the owner has no such Post. */
  post_revision: Schema.NullOr(Timestamp),
  unfinished: Schema.Int,
  staged_bytes: Schema.Int,
  minute_transfers: Schema.Int,
  minute_oldest: Schema.NullOr(Schema.Date),
  day_transfers: Schema.Int,
  day_bytes: Schema.Int,
  day_oldest: Schema.NullOr(Schema.Date)
})
export type ReservationFacts = typeof ReservationFacts.Type

/** What a limit said, and when asking again can help. */
export type ReachedLimit = Pick<InstanceType<typeof UploadLimitReached>, "limit" | "retryAfterSeconds">

/** For limits that end when operations do, which nobody can tell beforehand. */
const UNFINISHED_RETRY_SECONDS = 10

const secondsUntil = (moment: Date, at: Date) =>
  Math.max(1, Math.ceil((moment.getTime() - at.getTime()) / 1000))

/** The limit on transfers that one more of so many bytes would break (specification 8). */
export const reachedTransferLimit = (
  facts: ReservationFacts,
  bytes: number,
  at: Date,
  factor: number
): ReachedLimit | undefined => {
  const { day_bytes, day_oldest, day_transfers, minute_oldest, minute_transfers } = facts
  const minuteEnd = secondsUntil(later(minute_oldest ?? at, 60_000), at)
  const dayEnd = secondsUntil(later(day_oldest ?? at, DAY_MILLIS), at)
  if (minute_transfers >= TRANSFERS_PER_MINUTE_MAX * factor)
    return { limit: "transfers_per_minute", retryAfterSeconds: minuteEnd }
  if (day_transfers >= TRANSFERS_PER_DAY_MAX * factor)
    return { limit: "transfers_per_day", retryAfterSeconds: dayEnd }
  if (day_bytes + bytes > TRANSFER_BYTES_PER_DAY_MAX * factor)
    return { limit: "transfer_bytes_per_day", retryAfterSeconds: dayEnd }
  return undefined
}

/** The limit on what is unfinished and staged that an operation of so many bytes would break. */
export const reachedStagingLimit = (
  facts: ReservationFacts,
  bytes: number,
  again: EarlierUpload | undefined
): ReachedLimit | undefined => {
  const isNew = again === undefined
  if (isNew && facts.unfinished >= UNFINISHED_OPERATIONS_MAX)
    return { limit: "unfinished_operations", retryAfterSeconds: UNFINISHED_RETRY_SECONDS }
  if (facts.staged_bytes - (again?.staged_bytes ?? 0) + bytes > STAGED_BYTES_MAX)
    return { limit: "staged_bytes", retryAfterSeconds: UNFINISHED_RETRY_SECONDS }
  return undefined
}

/** Whether an earlier operation is for the same target. */
export const isSameTarget = (earlier: EarlierUpload, target: UploadTarget) =>
  earlier.target_kind === target.kind && earlier.target_id === target.id && earlier.target_key === target.key

/** Whether the bytes of an earlier operation never came, and nobody is receiving them now. */
export const awaitsBytes = ({ desired, due_at, owed, state }: EarlierUpload, at: Date) =>
  state === "receiving" && desired && (owed === "expiry" || due_at <= at)
