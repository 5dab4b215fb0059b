import type { UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import type { TargetKind } from "../../../../schemas/publishing/uploads/Upload.ts"

/**
 * Target of a file. The key is that of the editor's node for an inline image, the id of the operation for an attachment,
 * and else empty.
 */
export interface UploadTarget {
  readonly kind: TargetKind
  readonly id: UploadTargetId
  readonly key: string
}

/** Returns true for an operation whose file is private until it is cleared. */
export const isAttachment = ({ target_kind }: { readonly target_kind: TargetKind }) =>
  target_kind === "attachment"
