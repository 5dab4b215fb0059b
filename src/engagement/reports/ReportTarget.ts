import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"

/** A Post or a Comment that a reader reports. */
export type ReportTarget =
  | { readonly kind: "post"; readonly id: PostId }
  | { readonly kind: "comment"; readonly id: CommentId }
