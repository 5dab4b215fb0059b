import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"

/** A Post to buy, or the Post, Comment or Profile to tip. A tip to a Comment names its Post as well. */
export type PaymentTarget =
  | { readonly kind: "purchase"; readonly postId: PostId }
  | {
      readonly kind: "tip"
      readonly postId: PostId | null
      readonly commentId: CommentId | null
      readonly recipientId: OwnerId
    }

/** Returns true when two payments are for one thing. */
export const isSameTarget = (one: PaymentTarget, other: PaymentTarget): boolean =>
  one.kind === "purchase"
    ? other.kind === "purchase" && one.postId === other.postId
    : other.kind === "tip" &&
      one.recipientId === other.recipientId &&
      one.postId === other.postId &&
      one.commentId === other.commentId
