import type { ScheduleFailureReason } from "../../../../schemas/publishing/posts/Schedule.ts"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../../platform/time/now.ts"
import type { PostRow, ScheduleRow } from "../postRow.ts"

/** Lateness above which a Post is not published any more: what was to be read yesterday may be wrong today. */
const MISSED_MILLIS = DAY_MILLIS

/** Lateness above which the author hears of it. */
const LATE_MILLIS = 5 * MINUTE_MILLIS

/** Returns the milliseconds since the moment at which a draft was to be public. */
export const latenessOf = ({ publish_at }: Pick<ScheduleRow, "publish_at">, at: Date): number =>
  at.getTime() - Date.parse(publish_at)

/** True for a publication that its author has to hear of, because it is late. */
export const isLate = (schedule: Pick<ScheduleRow, "publish_at">, at: Date): boolean =>
  latenessOf(schedule, at) > LATE_MILLIS

/** Returns the reason for which a draft is not published at its moment, beside what every publication needs; undefined for none. */
export const dueRefusal = (
  schedule: ScheduleRow,
  { updated_at }: Pick<PostRow, "updated_at">,
  at: Date
): ScheduleFailureReason | undefined => {
  const { is_key_revoked, is_website_key, key_expires_at, only_revision } = schedule
  if (latenessOf(schedule, at) > MISSED_MILLIS) return "missed"
  if (is_key_revoked) return "key_revoked"
  // A person may sign out, which ends the key of the website.
  if (!is_website_key && key_expires_at !== null && Date.parse(key_expires_at) <= at.getTime())
    return "key_expired"
  if (only_revision !== null && only_revision !== updated_at) return "changed"
  return undefined
}
