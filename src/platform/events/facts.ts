import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { EventType } from "../../../schemas/platform/EventType.ts"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"

interface SubscriberFacts {
  readonly subscriber: {
    readonly id: string
    readonly source: "form" | "import"
    readonly endedBy: "reader" | "author" | "bounce" | "complaint" | null
  }
}

/**
 * The facts of each type that its cause records, because they are gone later. The rest of a body is a snapshot of the thing
 * that `subjectId` names.
 */
export interface EventFacts {
  /** About the Post. */
  readonly "post.published": { readonly isFirst: boolean; readonly isScheduled: boolean }
  /** About the Post; `changed` has the names of its members. */
  readonly "post.updated": { readonly changed: ReadonlyArray<string> }
  readonly "post.unpublished": {
    readonly post: {
      readonly id: PostId
      readonly slug: string
      readonly title: string
      readonly formerUrl: string
    }
    readonly by: "author" | "moderator" | "restriction"
  }
  readonly "post.schedule_failed": {
    readonly post: { readonly id: PostId; readonly title: string }
    readonly publishAt: Timestamp
    readonly reason: string
    readonly errors: ReadonlyArray<FieldError>
  }
  /** About the Comment. */
  readonly "comment.created": { readonly postId: PostId }
  readonly "comment.deleted": {
    readonly comment: {
      readonly id: CommentId
      readonly postId: PostId
      readonly threadRootId: CommentId
    }
    readonly by: "author" | "post_author" | "moderator" | "restriction"
  }
  /** About the follower. */
  readonly "follow.created": object
  /** About the settlement. */
  readonly "purchase.settled": object
  readonly "purchase.refunded": object
  readonly "tip.settled": object
  /** About the gift. */
  readonly "gift.redeemed": object
  readonly "upload.decided": {
    readonly operation: {
      readonly operationId: string
      readonly targetKind: string
      readonly postId: PostId | null
      readonly state: "cleared" | "rejected" | "failed"
      readonly publicUrl: string | null
      readonly fileName: string | null
    }
  }
  readonly "subscriber.confirmed": SubscriberFacts
  readonly "subscriber.ended": SubscriberFacts
}

/** The types of events that causes record. */
type RecordedType = keyof EventFacts & EventType

interface RecordedOf<Type extends RecordedType> {
  /** The owner who gets it. */
  readonly ownerId: OwnerId
  readonly type: Type
  /** The thing that a snapshot is made of. */
  readonly subjectId?: string
  readonly data: EventFacts[Type]
  /** The time of the cause. */
  readonly at: Date
  /** Names the cause: the same one is recorded once for an owner and a type. */
  readonly cause?: string
}

/** An event that is not recorded yet. */
export type NewEvent = { readonly [Type in RecordedType]: RecordedOf<Type> }[RecordedType]
