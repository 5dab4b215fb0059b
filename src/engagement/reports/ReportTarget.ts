import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"

/** A Post or a Comment that a reader reports. */
export type ReportTarget =
  | { readonly kind: "post"; readonly id: PostId }
  | { readonly kind: "comment"; readonly id: CommentId }

/** A target that readers without an account report: such a one, or an account by its handle in any case. */
export type PublicTarget = ReportTarget | { readonly kind: "account"; readonly handle: string }
