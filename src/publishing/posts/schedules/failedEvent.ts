import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import type { ScheduleFailure } from "../../../../schemas/publishing/posts/Schedule.ts"
import type { NewEvent } from "../../../platform/events/facts.ts"

/** Returns the event of a draft that was not published at its moment. */
export const failedEvent = (
  ownerId: OwnerId,
  { id, publishAt, title }: { readonly id: PostId; readonly title: string; readonly publishAt: Timestamp },
  { errors, reason }: ScheduleFailure,
  at: Date
): NewEvent => ({
  ownerId,
  type: "post.schedule_failed",
  subjectId: id,
  data: { post: { id, title }, publishAt, reason, errors },
  at
})
