import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { PaidContentRequired, PaidPostRequired } from "../../../schemas/publishing/posts/errors.ts"
import type { PostContent } from "./content.ts"

/** Why the files of a Post keep it from becoming what it would. */
export type AttachmentRefusal = PaidContentRequired | PaidPostRequired

/**
 * Files belong to the paid section: a Post that has some keeps text in it, and its paywall (specification 4.3.8).
 * Undefined when nothing is wrong.
 */
export const attachmentRefusal = (content: PostContent): AttachmentRefusal | undefined => {
  if (content.paid_content_markdown === null) {
    const error: FieldError = {
      field: "paidContentMarkdown",
      code: "paid_content_required",
      message: "The Post has files, which come with the paid section"
    }
    return new PaidContentRequired({ errors: [error] })
  }
  if (content.enable_paywall) return undefined
  const error: FieldError = {
    field: "enablePaywall",
    code: "paid_post_required",
    message: "The Post has files, which are for buyers"
  }
  return new PaidPostRequired({ errors: [error] })
}
