import type { ScheduleFailureReason } from "../../../schemas/publishing/posts/Schedule.ts"
import { failureWords } from "../publish/laterPart.ts"
import { NO_ZONE, zonedText } from "../publish/localTime.ts"

interface ScheduledLine {
  readonly publish_at: string | null
  readonly failed_because: ScheduleFailureReason | null
}

/** Says when a draft becomes public by itself, or why it did not; undefined for one without a moment. */
export const scheduleText = ({ failed_because, publish_at }: ScheduledLine): string | undefined => {
  if (publish_at === null) return undefined
  if (failed_because !== null) return `Not published: ${failureWords[failed_because].replace(/\.$/, "")}`
  return `Scheduled for ${zonedText(publish_at, NO_ZONE)}`
}
