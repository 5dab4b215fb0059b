import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { PaidContentRequired, PaidPostRequired } from "../../../schemas/publishing/posts/errors.ts"
import type { PostContent } from "./content.ts"

/** The reasons why files keep an edit from being saved. */
export type AttachmentRefusal = PaidContentRequired | PaidPostRequired

/**
 * Returns the reason why a Post with files cannot become `after`, or undefined. Files belong to the paid section, so
 * the Post keeps its text and its paywall (spec 4.3.8). An edit of neither is accepted, even after the section lost its
 * only image.
 */
export const attachmentRefusal = (before: PostContent, after: PostContent): AttachmentRefusal | undefined => {
  const keepsText = before.paid_content_markdown === after.paid_content_markdown
  if (keepsText && before.enable_paywall === after.enable_paywall) return undefined
  if (after.paid_content_markdown === null) {
    const error: FieldError = {
      field: "paidContentMarkdown",
      code: "paid_content_required",
      message: "Keep text in the paid section: the Post has files that come with it"
    }
    return new PaidContentRequired({ errors: [error] })
  }
  if (after.enable_paywall) return undefined
  const error: FieldError = {
    field: "enablePaywall",
    code: "paid_post_required",
    message: "Keep the paywall: the Post has files for its buyers"
  }
  return new PaidPostRequired({ errors: [error] })
}
