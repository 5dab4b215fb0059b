import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { EventFacts, NewEvent } from "../../platform/events/facts.ts"

interface Unseen {
  readonly id: CommentId
  readonly post_id: PostId
  readonly post_owner_id: OwnerId
  readonly thread_root_id: CommentId
}

/** Returns the event of a Comment that readers no longer see, for the author of its Post. */
export const deletedEvent = (
  { id, post_id, post_owner_id, thread_root_id }: Unseen,
  by: EventFacts["comment.deleted"]["by"],
  at: Date
): NewEvent => ({
  ownerId: post_owner_id,
  type: "comment.deleted",
  subjectId: id,
  data: { comment: { id, postId: post_id, threadRootId: thread_root_id }, by },
  at
})
