import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"

/** The target of a tip, as the payer names it. */
export type NamedTipTarget =
  | { readonly kind: "post"; readonly postId: PostId }
  | { readonly kind: "comment"; readonly commentId: CommentId }
  | { readonly kind: "profile"; readonly handle: string }
