import type { UploadLimitReached } from "../../../../schemas/publishing/uploads/errors.ts"
import {
  ARCHIVE_BYTES_MAX,
  IMPORTED_ATTACHMENTS_MAX,
  IMPORTED_BYTES_MAX,
  IMPORTED_OPERATIONS_MAX,
  INLINE_IMAGE_BYTES_MAX,
  STAGED_ATTACHMENT_BYTES_MAX,
  STAGED_BYTES_MAX,
  TARGET_IMAGE_BYTES_MAX,
  TRANSFER_BYTES_PER_DAY_MAX,
  TRANSFERS_PER_DAY_MAX,
  TRANSFERS_PER_MINUTE_MAX,
  UNFINISHED_ATTACHMENTS_MAX,
  UNFINISHED_OPERATIONS_MAX
} from "../../../../schemas/publishing/uploads/limits.ts"
import type { TargetKind } from "../../../../schemas/publishing/uploads/Upload.ts"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../../platform/time/now.ts"
import type { ReservationFacts } from "../operation/reservations.sql.ts"

/** A limit that is reached, and the seconds after which asking again can help. */
export type ReachedLimit = Pick<InstanceType<typeof UploadLimitReached>, "limit" | "retryAfterSeconds">

/** Limits of the operations and transfers of an owner (spec 8). */
interface UploadLimits {
  readonly transfersPerMinute: number
  readonly transfersPerDay: number
  readonly transferBytesPerDay: number
  readonly unfinishedOperations: number
  readonly stagedBytes: number
}

/** Seconds to wait for operations to end. */
const UNFINISHED_RETRY_SECONDS = 10

/** Returns the most bytes that a file of this kind may have (spec 8). */
export const fileBytesMax = (kind: TargetKind): number =>
  kind === "attachment"
    ? ARCHIVE_BYTES_MAX
    : kind === "inline"
      ? INLINE_IMAGE_BYTES_MAX
      : TARGET_IMAGE_BYTES_MAX

/** Returns the bytes to reserve for the file of a request. The rest of the form is not staged. */
export const stagedBytesOf = (kind: TargetKind, requestBytes: number): number =>
  Math.min(requestBytes, fileBytesMax(kind))

/** Returns the seconds until a window ends: never more than the window, even after the clock stepped back. */
const secondsLeft = (windowMillis: number, oldest: Date | null, at: Date) => {
  const left = windowMillis - Math.max(0, at.getTime() - (oldest ?? at).getTime())
  return Math.max(1, Math.ceil(left / 1000))
}

/**
 * Returns the limits of an owner (spec 8), where those on transfers are multiplied by `factor`. Images and attachments share
 * transfers, and each have places of their own.
 */
export const uploadLimits = (factor: number, kind: TargetKind): UploadLimits => ({
  transfersPerMinute: TRANSFERS_PER_MINUTE_MAX * factor,
  transfersPerDay: TRANSFERS_PER_DAY_MAX * factor,
  transferBytesPerDay: TRANSFER_BYTES_PER_DAY_MAX * factor,
  unfinishedOperations: kind === "attachment" ? UNFINISHED_ATTACHMENTS_MAX : UNFINISHED_OPERATIONS_MAX,
  stagedBytes: kind === "attachment" ? STAGED_ATTACHMENT_BYTES_MAX : STAGED_BYTES_MAX
})

/** Returns the limits of an import, whose files are no transfers. They leave the author room to upload meanwhile. */
export const importLimits = (kind: TargetKind): UploadLimits => ({
  transfersPerMinute: Infinity,
  transfersPerDay: Infinity,
  transferBytesPerDay: Infinity,
  unfinishedOperations: kind === "attachment" ? IMPORTED_ATTACHMENTS_MAX : IMPORTED_OPERATIONS_MAX,
  stagedBytes: kind === "attachment" ? ARCHIVE_BYTES_MAX : IMPORTED_BYTES_MAX
})

/** Returns the limit on transfers that a request of this many bytes would break. */
export const reachedTransferLimit = (
  facts: ReservationFacts,
  bytes: number,
  at: Date,
  limits: UploadLimits
): ReachedLimit | undefined => {
  const { day_bytes, day_oldest, day_transfers, minute_oldest, minute_transfers } = facts
  const minuteEnd = secondsLeft(MINUTE_MILLIS, minute_oldest, at)
  const dayEnd = secondsLeft(DAY_MILLIS, day_oldest, at)
  if (minute_transfers >= limits.transfersPerMinute)
    return { limit: "transfers_per_minute", retryAfterSeconds: minuteEnd }
  if (day_transfers >= limits.transfersPerDay)
    return { limit: "transfers_per_day", retryAfterSeconds: dayEnd }
  if (day_bytes + bytes > limits.transferBytesPerDay)
    return { limit: "transfer_bytes_per_day", retryAfterSeconds: dayEnd }
  return undefined
}

/** Returns the limit on unfinished operations or staged bytes that a file of this many bytes would break. */
export const reachedStagingLimit = (
  facts: ReservationFacts,
  bytes: number,
  earlier: { readonly staged_bytes: number } | undefined,
  limits: UploadLimits
): ReachedLimit | undefined => {
  if (earlier === undefined && facts.unfinished >= limits.unfinishedOperations)
    return { limit: "unfinished_operations", retryAfterSeconds: UNFINISHED_RETRY_SECONDS }
  if (facts.staged_bytes - (earlier?.staged_bytes ?? 0) + bytes > limits.stagedBytes)
    return { limit: "staged_bytes", retryAfterSeconds: UNFINISHED_RETRY_SECONDS }
  return undefined
}
