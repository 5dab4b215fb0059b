import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"

/** A Post or a Comment to which owners react. */
export type ReactionTarget =
  | { readonly kind: "post"; readonly id: PostId }
  | {
      readonly kind: "comment"
      readonly id: CommentId
      /** The Post that the Comment must belong to; any Post when absent. */
      readonly postId?: PostId
    }
